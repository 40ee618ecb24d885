import { action, Failure, sql, Type } from '@chowk/kit/kernel';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startPlatform } from './platform.ts';
import { testModule } from './test-module.ts';

/* The harness fails a test when a response has an error code that the API description does not list. */

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
      summary: 'Test',
      public: true,
      tenant: 'none',
      http: 'GET /crash',
      run: async () => {
        throw new TypeError('the cause of the crash');
      },
    }),
  },
});

test('an error that an action declares, or that every action has, is returned to the test', async () => {
  expect((await request({ url: '/api/v1/listed?code=test.conflict' })).status).toBe(409);
  expect((await request({ url: '/api/v1/listed' })).status).toBe(422);
  expect(
    (await request({ method: 'POST', url: '/api/v1/post', payload: 'x', headers: { 'content-type': 'text/xml' } }))
      .status,
  ).toBe(415);
});

test('an error that an action does not declare fails the test and names the action and the error', async () => {
  await expect(request({ url: '/api/v1/unlisted?code=test.conflict' })).rejects.toThrow(
    'test.unlisted answered 409 test.conflict, which its declaration does not list',
  );
  await expect(request({ url: '/api/v1/listed?code=test.other' })).rejects.toThrow(
    'test.listed answered 409 test.other',
  );
});

test('errors that any request can cause need not be declared', async () => {
  expect((await request({ url: '/api/v1/unlisted?code=test.broken' })).status).toBe(503);
  expect((await request({ url: '/api/v1/nowhere' })).status).toBe(404);
  expect((await request({ method: 'PUT', url: '/api/v1/listed' })).status).toBe(405);
});

test('concurrent responses are checked against their own actions', async () => {
  const outcomes = Array.from({ length: 20 }, (_, n) =>
    request({ url: `/api/v1/${n % 2 ? 'listed' : 'unlisted'}?code=test.conflict` }).then(
      ({ status }) => status,
      () => 'undeclared',
    ),
  );
  expect(await Promise.all(outcomes)).toEqual(Array.from({ length: 20 }, (_, n) => (n % 2 ? 409 : 'undeclared')));
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
