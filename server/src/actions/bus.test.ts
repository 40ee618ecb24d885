import { type Actions, action, type Ctx, Default, Line, sql, Type } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { startPlatform, type TestTenant } from '../../testing/platform.ts';
import { testModule } from '../../testing/test-module.ts';
import type { Consumed } from '../loader/manifest.ts';

const Anything = Type.Object({}, { additionalProperties: true });
const common = { summary: 'Test', public: true, bus: { rateLimit: 600 } } as const;

/** An action through which a test calls any other action in the name of the module. */
function callAction(alias: string): Actions {
  return {
    [`${alias}.call`]: action({
      summary: 'Call an action',
      http: `POST /${alias}/call`,
      needs: 'test.call',
      audited: false,
      input: Type.Object({ name: Type.String(), input: Type.Unknown(), undo: Type.Optional(Type.Boolean()) }),
      errors: ['bus.not_declared', 'bus.rate_limited'],
      run: async (ctx, { name, input, undo }) => {
        const call = (inner: Ctx) => inner.bus.call(name as never, input as never);
        if (!undo) return { result: await call(ctx), input };
        return ctx.tx(async (inner) => {
          await call(inner);
          throw new Error('undo');
        });
      },
    }),
  };
}

/** A public action that calls an operation with a permission. */
function openAction(alias: string): Actions {
  return {
    [`${alias}.open`]: action({
      summary: 'Call an operation for anyone',
      http: `POST /${alias}/open`,
      public: true,
      errors: ['bus.not_declared', 'auth.unauthenticated'],
      run: (ctx) => ctx.bus.call('gamma.guarded' as never, {} as never),
    }),
  };
}

const echo = action({ ...common, input: Anything, run: async (ctx, input) => ({ input, tenant: ctx.tenant.id }) });

const write = action({
  ...common,
  input: Type.Object({ key: Type.String({ minLength: 1 }), password: Type.Optional(Type.String()) }),
  run: async (ctx, { key }) => {
    await ctx.db.run(sql`INSERT INTO gamma_notes VALUES (${key})`);
    return {};
  },
});

const loopTo = (name: string) => action({ ...common, run: (ctx) => ctx.bus.call(name as never, {} as never) });

const offBus = action({ summary: 'Test', http: 'GET /gamma/off-bus', public: true, run: async () => ({}) });

const names = ['alpha', 'beta', 'gamma', 'delta'] as const;
/** Declared calls by module: covers every combination. */
const declared: Record<(typeof names)[number], Consumed[]> = {
  alpha: ['beta.echo', 'gamma.echo', 'gamma.write', 'gamma.guarded', 'gamma.limited', 'beta.loop'],
  beta: ['alpha.echo', 'alpha.loop', { operation: 'gamma.guarded', permission: 'beta.view' }],
  gamma: [],
  delta: ['alpha.echo', 'beta.echo', 'gamma.echo', 'gamma.limited', { operation: 'gamma.guarded', permission: null }],
};

const more: Partial<Record<(typeof names)[number], Actions>> = {
  alpha: { 'alpha.loop': loopTo('beta.loop') },
  beta: { 'beta.loop': loopTo('alpha.loop') },
  gamma: {
    'gamma.write': write,
    'gamma.guarded': action({ summary: 'Test', needs: 'gamma.secret', bus: { rateLimit: 600 }, run: async () => ({}) }),
    'gamma.limited': { ...echo, bus: { rateLimit: 30 } },
    'gamma.offBus': offBus,
    'gamma.read': action({
      ...common,
      input: Type.Object({ list: Type.Array(Type.Object({ name: Line(5) })), size: Default(Type.Integer(), 1) }),
      run: async (_, input) => input,
    }),
  },
};

const modules = names.map((alias) =>
  testModule({
    alias,
    consumes: declared[alias],
    actions: { ...callAction(alias), ...openAction(alias), [`${alias}.echo`]: echo, ...more[alias] },
    ...(alias === 'gamma' ? { migration: 'CREATE TABLE gamma_notes (key text)' } : {}),
  }),
);

const platform = await startPlatform({ modules });
const acme = await platform.tenant();

function call(
  from: string,
  name: string,
  input: unknown = {},
  { tenant = acme, more = [] as string[], undo = false } = {},
) {
  return tenant.caller('test.call', ...more).post(`/api/v1/${from}/call`, { name, input, undo });
}

/** The audit log, newest first. */
async function auditEntries({ db }: TestTenant): Promise<Record<string, unknown>[]> {
  await platform.kernel.audit.flush();
  return db.rows(sql`SELECT * FROM module_bus_audit_log ORDER BY at DESC, id DESC`);
}

test.each(names.flatMap((from) => names.map((to) => [from, to] as const)))(
  'a call from %s to %s is allowed only if the caller declares it',
  async (from, to) => {
    const { status, body } = await call(from, `${to}.echo`, { n: 1 });
    const allowed = from === to || declared[from].includes(`${to}.echo`);
    expect(status).toBe(allowed ? 200 : 403);
    if (allowed) expect(body.result).toEqual({ input: { n: 1 }, tenant: acme.id });
    else expect(body.code).toBe('bus.not_declared');
  },
);

test('the input cannot forge the calling module', async () => {
  const forged = { caller: 'alpha', module: 'alpha', _caller: 'alpha' };
  expect((await call('gamma', 'beta.echo', forged)).body.code).toBe('bus.not_declared');
  const tenant = await platform.tenant();
  await call('alpha', 'beta.echo', { caller: 'gamma' }, { tenant });
  expect(await auditEntries(tenant)).toMatchObject([{ module: 'alpha', action: 'beta.echo', transport: 'bus' }]);
});

test('an action that does not exist or is not on the bus is refused like an undeclared one', async () => {
  expect((await call('gamma', 'gamma.offBus')).body.code).toBe('bus.not_declared');
  expect((await call('alpha', 'alpha.nothing')).body.code).toBe('bus.not_declared');
  expect((await call('alpha', 'constructor')).body.code).toBe('bus.not_declared');
});

test("a nested call needs the user's permission too", async () => {
  expect((await call('alpha', 'gamma.guarded')).body).toMatchObject({ code: 'auth.forbidden' });
  expect((await call('alpha', 'gamma.guarded', {}, { more: ['gamma.secret'] })).status).toBe(200);
});

test("a consumer's own permission replaces the operation's for its calls", async () => {
  const fromBeta = (...more: string[]) => call('beta', 'gamma.guarded', {}, { more });
  expect((await fromBeta('beta.view')).status).toBe(200);
  expect((await fromBeta('gamma.secret')).body.code).toBe('auth.forbidden');
  expect((await call('alpha', 'gamma.guarded', {}, { more: ['beta.view'] })).body.code).toBe('auth.forbidden');
  const inJob = acme.context('beta').bus.call('gamma.guarded' as never, {} as never);
  await expect(inJob).resolves.toEqual({});
});

test('a public action can call an operation that is declared without a permission', async () => {
  const anonymous = (from: string) =>
    platform.request({ method: 'POST', url: `/api/v1/${from}/open`, headers: { 'x-tenant': acme.id } });
  expect((await anonymous('delta')).status).toBe(200);
  expect((await anonymous('alpha')).body.code).toBe('auth.unauthenticated');
});

test('invalid input is rejected with an error for each invalid field', async () => {
  const { status, body } = await call('alpha', 'gamma.write', { key: '' });
  expect({ status, body }).toMatchObject({
    status: 422,
    body: {
      code: 'http.validation_failed',
      errors: { key: ['The key must not be empty.'] },
      error_codes: { key: ['too_short'] },
    },
  });
});

test("the callee gets a normalized copy of the input; the caller's input is unchanged", async () => {
  const input = { list: [{ name: ' a ', more: 1 }] };
  const { body } = await call('gamma', 'gamma.read', input);
  expect(body).toEqual({ result: { list: [{ name: 'a' }], size: 1 }, input });
});

test('a module that is not installed for the tenant cannot be called, over the bus or over HTTP', async () => {
  const tenant = await platform.tenant();
  await platform.kernel.installations.set(tenant.id, 'beta', 'disabled');
  const notInstalled = { status: 404, body: { code: 'modules.not_installed' } };
  expect(await call('alpha', 'beta.echo', {}, { tenant })).toMatchObject(notInstalled);
  expect(await call('beta', 'alpha.echo', {}, { tenant })).toMatchObject(notInstalled);
  const stranger = await acme.caller().post('/api/v1/beta/call', {}, { 'x-tenant': tenant.id });
  expect(stranger.body.code).toBe('auth.not_a_member');
});

test('the rate limit counts calls per calling module and tenant', async () => {
  const [one, other] = [await platform.tenant(), await platform.tenant()];
  for (let calls = 0; calls < 30; calls += 1) {
    expect((await call('alpha', 'gamma.limited', {}, { tenant: one })).status).toBe(200);
  }
  const refused = await call('alpha', 'gamma.limited', {}, { tenant: one });
  expect(refused).toMatchObject({ status: 429, body: { code: 'bus.rate_limited' } });
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect((await call('delta', 'gamma.limited', {}, { tenant: one })).status).toBe(200);
  expect((await call('alpha', 'gamma.limited', {}, { tenant: other })).status).toBe(200);
});

test("a call inside a transaction joins it: the callee's writes are rolled back with the caller's", async () => {
  expect((await call('alpha', 'gamma.write', { key: 'undone' }, { undo: true })).status).toBe(500);
  await call('alpha', 'gamma.write', { key: 'kept' });
  expect(await acme.db.rows(sql`SELECT key FROM gamma_notes WHERE key IN ('undone', 'kept')`)).toEqual([
    { key: 'kept' },
  ]);
});

test('a circular call is stopped', async () => {
  const { status, body } = await call('alpha', 'beta.loop');
  expect({ status, code: body.code }).toEqual({ status: 508, code: 'bus.too_deep' });
});

test('every call is recorded with its outcome, and secrets are masked', async () => {
  const tenant = await platform.tenant();
  await call('alpha', 'gamma.write', { key: 'a', password: 'hunter2' }, { tenant });
  await call('alpha', 'gamma.guarded', {}, { tenant });
  await call('alpha', 'gamma.write', { key: '' }, { tenant });
  const rows = await auditEntries(tenant);
  expect(rows).toHaveLength(3);
  expect(rows.at(-1)).toMatchObject({
    transport: 'bus',
    module: 'alpha',
    action: 'gamma.write',
    resource: 'gamma',
    resource_id: null,
    outcome: 'ok',
    error_code: null,
    user_id: expect.any(Number),
    request_id: expect.any(String),
    duration_ms: expect.any(Number),
    input: { key: 'a', password: '••••' },
    changes: null,
  });
  expect(JSON.stringify(rows)).not.toContain('hunter2');
  const refused = rows.filter(({ outcome }) => outcome === 'refused');
  expect(refused.map(({ error_code }) => error_code).sort()).toEqual(['auth.forbidden', 'http.validation_failed']);
});

test('an input with a character that PostgreSQL cannot store is recorded with a replacement', async () => {
  const tenant = await platform.tenant();
  await call('alpha', 'beta.echo', { text: 'a\u0000b' }, { tenant });
  expect(await auditEntries(tenant)).toMatchObject([{ input: { text: 'a\ufffdb' } }]);
});
