import { action, Failure, sql, Type } from '@chowk/kit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startPlatform } from './platform.ts';
import { testModule } from './test-module.ts';

/* The harness itself: a test fails when an answer is not one that the API description lists. */

const common = { summary: 'Test', public: true, tenant: 'none', input: Type.Object({ code: Type.String() }) } as const;
const run = async (_: unknown, { code }: { code: string }): Promise<never> => {
  throw new Failure(code, code === 'test.broken' ? 503 : 409, 'No.');
};
const { request, tenant } = await startPlatform({
  modules: [testModule({ alias: 'notes', migration: 'CREATE TABLE notes (n int)' })],
  actions: {
    'test.listed': action({ ...common, http: 'GET /listed', errors: ['test.conflict'], run }),
    'test.unlisted': action({ ...common, http: 'GET /unlisted', run }),
    'test.post': action({ ...common, http: 'POST /post', run }),
    'test.crash': action({
      ...{ summary: 'Test', public: true, tenant: 'none', http: 'GET /crash' },
      run: async () => {
        throw new TypeError('the cause of the crash');
      },
    }),
  },
});

test('a failure that an action declares, or that every one has, is an answer like any other', async () => {
  expect((await request({ url: '/api/v1/listed?code=test.conflict' })).status).toBe(409);
  expect((await request({ url: '/api/v1/listed' })).status).toBe(422);
  expect(
    (await request({ method: 'POST', url: '/api/v1/post', payload: 'x', headers: { 'content-type': 'text/xml' } }))
      .status,
  ).toBe(415);
});

test('a failure that an action does not declare fails the test, naming both', async () => {
  await expect(request({ url: '/api/v1/unlisted?code=test.conflict' })).rejects.toThrow(
    'test.unlisted answered 409 test.conflict, which its declaration does not list',
  );
  await expect(request({ url: '/api/v1/listed?code=test.other' })).rejects.toThrow(
    'test.listed answered 409 test.other',
  );
});

test('what any request can meet need not be declared', async () => {
  expect((await request({ url: '/api/v1/unlisted?code=test.broken' })).status).toBe(503);
  expect((await request({ url: '/api/v1/nowhere' })).status).toBe(404);
  expect((await request({ method: 'PUT', url: '/api/v1/listed' })).status).toBe(405);
});

test('answers that come at the same time are each checked against their own action', async () => {
  const answers = Array.from({ length: 20 }, (_, n) =>
    request({ url: `/api/v1/${n % 2 ? 'listed' : 'unlisted'}?code=test.conflict` }).then(
      ({ status }) => status,
      () => 'undeclared',
    ),
  );
  expect(await Promise.all(answers)).toEqual(Array.from({ length: 20 }, (_, n) => (n % 2 ? 409 : 'undeclared')));
});

const crash = () => request({ url: '/api/v1/crash' });
const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
await crash();
const printedOutsideOfTests = printed.mock.calls.flat();
printed.mockClear();

test('the cause of a 500 is printed with its stack', () => {
  expect(printedOutsideOfTests).toEqual([
    expect.stringMatching(/TypeError: the cause of the crash\n +at .*platform\.test/),
  ]);
});

test('a test that expects a 500 and passes prints nothing', async () => {
  onTestFinished(() => printed.mockRestore());
  expect((await crash()).status).toBe(500);
  expect(printed).not.toHaveBeenCalled();
});

test("a tenant gives a module's context", async () => {
  const acme = await tenant();
  const ctx = acme.context('notes');
  expect(ctx.tenant.id).toBe(acme.id);
  expect(await ctx.db.rows(sql`SELECT * FROM notes`)).toEqual([]);
  expect(() => acme.context('nodes')).toThrow('there is no module nodes; loaded are notes');
});
