import { action, type Ctx, Failure, type Issues, invalid, Line, type Log, sql, Type } from '@chowk/kit/kernel';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { startPlatform } from '../../testing/platform.ts';
import { silent } from '../../testing/silent-log.ts';
import { testModule } from '../../testing/test-module.ts';
import { createHttpServer } from '../http/server.ts';

/* All errors of an input are reported at once, whether found by validation or by the action. */

const NewMember = Type.Object({
  name: Line(10),
  email: Line(20),
  phone: Type.Optional(Line(20)),
  starts: Type.Optional(Type.Integer()),
  ends: Type.Optional(Type.Integer()),
  address: Type.Optional(Type.Object({ city: Line(10), pin: Type.Optional(Line(6)) })),
  items: Type.Optional(Type.Array(Type.Object({ sku: Line(5), quantity: Type.Integer({ minimum: 1 }) }))),
  tags: Type.Optional(Type.Array(Line(5))),
  ids: Type.Optional(Type.Record(Type.String(), Line(5))),
});
type Input = Partial<{
  name: string;
  email: string;
  phone: string;
  starts: number;
  ends: number;
  address: { city?: string; pin?: string };
}>;

/** The inputs that `check` received, and its additional effect. */
let checkedInputs: Input[] = [];
let trouble: (() => Promise<void> | void) | undefined;
let runs = 0;

function rangeProblem({ starts, ends }: Input): string | undefined {
  return starts !== undefined && ends !== undefined && ends < starts
    ? 'The end must not be before the start.'
    : undefined;
}

async function check(ctx: Ctx, input: Input, issues: Issues): Promise<{ name: string | undefined }> {
  checkedInputs.push(structuredClone(input));
  await trouble?.();
  const problem = rangeProblem(input);
  if (problem) issues.add('ends', problem);
  if (input.address?.city === 'Atlantis') issues.add('address.city', 'There is no such city.');
  for (const field of ['email', 'phone'] as const) {
    const value = input[field];
    if (value && (await ctx.db.row(sql`SELECT FROM members WHERE value = ${value}`))) {
      issues.add(field, `The ${field} is taken.`, 'taken');
    }
  }
  return { name: input.name };
}

async function create(ctx: Ctx, input: Input, { name }: { name: string | undefined }): Promise<object> {
  runs += 1;
  for (const field of ['email', 'phone'] as const) {
    if (input[field] !== undefined) await ctx.db.run(sql`INSERT INTO members VALUES (${input[field]})`);
  }
  return { ...input, checked: name };
}

const common = { summary: 'Test', needs: 'members.create' } as const;
const platform = await startPlatform({
  modules: [
    testModule({
      alias: 'members',
      actions: {
        'members.create': action({
          ...common,
          http: 'POST /members',
          bus: { rateLimit: 600 },
          input: NewMember,
          errors: ['members.not_found'],
          atomic: true,
          check,
          run: create,
        }),
        'members.call': action({
          ...common,
          http: 'POST /members/call',
          input: Type.Object({}, { additionalProperties: true }),
          run: (ctx, input) =>
            ctx.tx((tx) => tx.bus.call('members.create' as never, input as never)) as Promise<object>,
        }),
        'members.closed': action({
          ...common,
          http: 'POST /members/closed',
          input: NewMember,
          errors: ['members.closed'],
          check,
          guard: async () => {
            throw new Failure('members.closed', 409, 'The group is closed.');
          },
          run: create,
        }),
        'members.refused': action({
          ...common,
          http: 'POST /members/refused',
          input: NewMember,
          errors: ['members.full'],
          check,
          run: async () => {
            throw new Failure('members.full', 409, 'There is no room.');
          },
        }),
      },
      migration: 'CREATE TABLE members (value text PRIMARY KEY)',
    }),
  ],
});
const acme = await platform.tenant();
const caller = acme.caller('members.create');
await acme.db.run(sql`INSERT INTO members VALUES ('asha@x'), ('555')`);
const good = { name: 'Asha', email: 'new@x' };

beforeEach(() => {
  checkedInputs = [];
  trouble = undefined;
  runs = 0;
});

test('type errors, field rules, cross-field rules and taken values are reported together', async () => {
  const { status, body } = await caller.post('/api/v1/members', {
    name: '',
    email: ' asha@x ',
    phone: '555',
    starts: 5,
    ends: 3,
    address: { city: 'Atlantis', pin: 'far too long' },
    items: [{ sku: 'A', quantity: 0 }],
  });
  expect(status).toBe(422);
  expect(body).toEqual({
    message: 'The name must not be empty. (and 6 more)',
    code: 'http.validation_failed',
    errors: {
      name: ['The name must not be empty.'],
      'address.pin': ['The pin must have at most 6 characters.'],
      'items.0.quantity': ['The quantity must be at least 1.'],
      ends: ['The end must not be before the start.'],
      'address.city': ['There is no such city.'],
      email: ['The email is taken.'],
      phone: ['The phone is taken.'],
    },
    error_codes: {
      name: ['too_short'],
      'address.pin': ['too_long'],
      'items.0.quantity': ['too_small'],
      ends: ['invalid'],
      'address.city': ['invalid'],
      email: ['taken'],
      phone: ['taken'],
    },
  });
  expect(runs).toBe(0);
});

test('all taken values are reported, and nothing runs', async () => {
  const { status, body } = await caller.post('/api/v1/members', { name: 'Asha', email: 'asha@x', phone: '555' });
  expect({ status, codes: body.error_codes }).toEqual({ status: 422, codes: { email: ['taken'], phone: ['taken'] } });
  expect(runs).toBe(0);
});

test('valid input is checked once, and run gets the result', async () => {
  const { status, body } = await caller.post('/api/v1/members', good);
  expect({ status, body }).toEqual({ status: 200, body: { ...good, checked: 'Asha' } });
  expect(checkedInputs).toEqual([good]);
  await acme.db.run(sql`DELETE FROM members WHERE value = 'new@x'`);
});

test('check gets only valid fields, normalized, including nested ones', async () => {
  await caller.post('/api/v1/members', {
    name: 5,
    email: ' new@x ',
    address: { city: ' Pune ', pin: 7 },
    items: [
      { sku: ' A ', quantity: 'x' },
      { sku: 'B', quantity: 1 },
    ],
    tags: ['ok', ''],
  });
  expect(checkedInputs).toEqual([
    {
      email: 'new@x',
      address: { city: 'Pune' },
      items: [{ sku: 'A' }, { sku: 'B', quantity: 1 }],
    },
  ]);
});

test('check gets neither unknown fields nor invalid ones whose names contain dots', async () => {
  await caller.post('/api/v1/members', { ...good, name: 5, ids: { 'a.b': 'too long', c: 'ok' }, total: 7 });
  expect(checkedInputs).toEqual([{ email: good.email }]);
});

test('input with more errors than are listed is not checked, nor is a large one whose errors are not all known', async () => {
  const items = Array.from({ length: 60 }, () => ({ sku: 'A', quantity: 0 }));
  expect((await caller.post('/api/v1/members', { ...good, items })).status).toBe(422);
  const tags = Array.from({ length: 10_001 }, () => 'ok');
  expect((await caller.post('/api/v1/members', { name: 5, email: 'far too long for an email', tags })).status).toBe(
    422,
  );
  expect(checkedInputs).toEqual([]);
});

test('check does not get an object that was rejected as a whole', async () => {
  await caller.post('/api/v1/members', { ...good, address: 'Pune', items: { 0: {} } });
  expect(checkedInputs).toEqual([good]);
});

test('the same error is reported once', async () => {
  const { body } = await caller.post('/api/v1/members', { ...good, starts: 5, ends: 3 });
  expect(body.errors).toEqual({ ends: ['The end must not be before the start.'] });
  expect(body.message).toBe('The end must not be before the start.');
});

test('all errors are reported over the bus and inside a transaction too', async () => {
  const input = { name: 'Asha', email: 'asha@x', phone: '555' };
  const direct = await caller.post('/api/v1/members', input);
  const { status, body } = await caller.post('/api/v1/members/call', input);
  expect({ status, body }).toEqual({ status: 422, body: direct.body });
});

test.each([
  [
    'an error',
    () => {
      throw new Error('broken');
    },
  ],
  ['a rejection', () => Promise.reject(new TypeError('broken'))],
  ['undefined', () => Promise.reject(undefined)],
])(
  'if check fails with %s after the validation did, the response is unchanged and the error is logged',
  async (_, fails) => {
    trouble = fails;
    const { request, errors } = await withRecordingLog();
    const { status, body } = await request('/api/v1/members', { name: '', email: 'asha@x' });
    expect({ status, errors: body.errors }).toEqual({ status: 422, errors: { name: ['The name must not be empty.'] } });
    expect(errors).toMatchObject([{ action: 'members.create' }]);
  },
);

test('check may throw further errors', async () => {
  trouble = () => {
    throw invalid({ phone: 'That phone is off.' });
  };
  const { request, errors } = await withRecordingLog();
  const { body } = await request('/api/v1/members', { name: '', email: 'a' });
  expect(Object.keys(body.errors)).toEqual(['name', 'phone']);
  expect(errors).toEqual([]);
});

test('a not-found error in check leaves the validation errors unchanged', async () => {
  trouble = () => {
    throw new Failure('members.not_found', 404, 'There is no such member.');
  };
  const { status, body } = await caller.post('/api/v1/members', { name: '', email: 'a' });
  expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: ['name'] });
});

test('a database error in check leaves the validation errors unchanged', async () => {
  const { request } = await withRecordingLog();
  const ctx = acme.db;
  trouble = async () => void (await ctx.run(sql`SELECT FROM no_such_table`));
  expect((await request('/api/v1/members', { name: '', email: 'a' })).status).toBe(422);
});

test('without validation errors, a failure in check is the response', async () => {
  trouble = () => {
    throw new Failure('members.not_found', 404, 'There is no such member.');
  };
  expect((await caller.post('/api/v1/members', good)).body).toMatchObject({ code: 'members.not_found' });
  expect(runs).toBe(0);
});

test('check and run of an atomic action are one transaction', async () => {
  const refused = { ...good, phone: 'new@x' };
  expect((await caller.post('/api/v1/members', refused)).status).toBe(500);
  expect(await acme.db.row(sql`SELECT FROM members WHERE value = 'new@x'`)).toBeUndefined();
});

test('an action that is not atomic runs after its check too', async () => {
  expect((await caller.post('/api/v1/members/refused', good)).body).toMatchObject({ code: 'members.full' });
  expect(checkedInputs).toEqual([good]);
});

test('guard runs before the input is validated', async () => {
  expect((await caller.post('/api/v1/members/closed', { name: 5 })).body).toMatchObject({ code: 'members.closed' });
  expect([checkedInputs.length, runs]).toEqual([0, 0]);
});

/** A server for the same platform whose logged errors the test can read. */
async function withRecordingLog() {
  const errors: object[] = [];
  const log: Log = { ...silent, error: (details) => errors.push(details) };
  const app = await createHttpServer({ ...platform.kernel, log });
  afterAll(() => app.close());
  const headers = { authorization: `Bearer ${caller.token}`, 'x-tenant': acme.id };
  const request = async (url: string, payload: object) => {
    const response = await app.inject({ method: 'POST', url, payload, headers });
    return { status: response.statusCode, body: response.json() };
  };
  return { request, errors };
}
