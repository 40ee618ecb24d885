import { action, afterCommit, type Ctx, inTransaction, sql, Type } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { startPlatform, type TestTenant } from '../../testing/platform.ts';
import { testModule } from '../../testing/test-module.ts';

interface Received {
  readonly listener: string;
  readonly tenant: string;
  readonly id: string;
  readonly payload: { n: number; fail?: string };
}

const received: Received[] = [];
/** The number of intentional failures, by listener. */
const failures = new Map<string, number>();

function listener(name: string) {
  return async (ctx: Ctx, payload: unknown, { id }: { id: string }) => {
    const content = payload as Received['payload'];
    received.push({ listener: name, tenant: ctx.tenant.id, id, payload: content });
    if (content.fail === name && (failures.get(name) ?? 0) < 1) {
      failures.set(name, 1);
      throw new Error(`${name} fails once`);
    }
  };
}

const actions = {
  'source.emit': action({
    summary: 'Write a note and emit an event, in one transaction',
    http: 'POST /emit',
    needs: 'test.emit',
    input: Type.Object({
      event: Type.Optional(Type.String()),
      n: Type.Integer(),
      subject: Type.Optional(Type.String()),
      fail: Type.Optional(Type.String()),
      undo: Type.Optional(Type.Boolean()),
    }),
    run: (ctx, { event = 'note.created', subject, undo, ...payload }) =>
      ctx.tx(async (inner) => {
        await inner.db.run(sql`INSERT INTO notes VALUES (${payload.n})`);
        await inner.emit(event as never, { ...payload, subject } as never);
        if (undo) throw new Error('undo');
        return {};
      }),
  }),
};

const on = (
  when: typeof inTransaction,
  event: string,
  name: string,
  run: (ctx: Ctx, payload: unknown, delivery: { id: string }) => Promise<void>,
) => when(event as never, name, run as never);

const modules = [
  testModule({ alias: 'source', emits: ['note.created'], actions, migration: 'CREATE TABLE notes (n int)' }),
  testModule({
    alias: 'statistics',
    listeners: [
      on(inTransaction, 'note.created', 'count', async (ctx, payload, delivery) => {
        await listener('statistics/count')(ctx, payload, delivery);
        await ctx.db.run(sql`INSERT INTO near_counts VALUES (1)`);
      }),
    ],
    migration: 'CREATE TABLE near_counts (n int)',
  }),
  testModule({
    alias: 'mailing',
    listeners: [
      on(afterCommit, 'note.created', 'one', listener('mailing/one')),
      on(afterCommit, 'note.created', 'two', listener('mailing/two')),
    ],
  }),
];

const platform = await startPlatform({ modules });
await platform.kernel.work();

function receivedBy(tenant: TestTenant, name: string): Received[] {
  return received.filter((event) => event.listener === name && event.tenant === tenant.id);
}

function emit(tenant: TestTenant, body: object) {
  return tenant.caller('test.emit').post('/api/v1/emit', body);
}

test('an inTransaction listener runs in the emitting transaction, an afterCommit listener after its commit', async () => {
  const tenant = await platform.tenant();
  expect((await emit(tenant, { n: 1 })).status).toBe(200);
  expect(receivedBy(tenant, 'statistics/count')).toHaveLength(1);
  expect(await tenant.db.rows(sql`SELECT n FROM near_counts`)).toHaveLength(1);
  await expect.poll(() => receivedBy(tenant, 'mailing/two').length, { timeout: 10_000 }).toBe(1);
  await expect.poll(() => receivedBy(tenant, 'mailing/one').length, { timeout: 10_000 }).toBe(1);
  await expect.poll(() => tenant.db.rows(sql`SELECT * FROM event_deliveries`)).toEqual([]);
});

test('a rollback discards the event and the writes of inTransaction listeners', async () => {
  const tenant = await platform.tenant();
  expect((await emit(tenant, { n: 1, undo: true })).status).toBe(500);
  expect(await tenant.db.rows(sql`SELECT n FROM near_counts`)).toEqual([]);
  expect(await tenant.db.rows(sql`SELECT * FROM event_deliveries`)).toEqual([]);
  await emit(tenant, { n: 2 });
  await expect.poll(() => receivedBy(tenant, 'mailing/one').length, { timeout: 10_000 }).toBe(1);
  expect(receivedBy(tenant, 'mailing/one')[0]?.payload.n).toBe(2);
});

test('an inTransaction listener that fails rolls back the change', async () => {
  const tenant = await platform.tenant();
  expect((await emit(tenant, { n: 1, fail: 'statistics/count' })).status).toBe(500);
  expect(await tenant.db.rows(sql`SELECT n FROM notes`)).toEqual([]);
});

test('a module cannot emit an event that it does not declare', async () => {
  const tenant = await platform.tenant();
  const { status, body } = await emit(tenant, { n: 1, event: 'note.stolen' });
  expect({ status, code: body.code }).toEqual({ status: 500, code: 'events.not_declared' });
});

test('a failing listener is retried without running the others again', async () => {
  const tenant = await platform.tenant();
  await emit(tenant, { n: 7, fail: 'mailing/one' });
  await expect.poll(() => receivedBy(tenant, 'mailing/one').length, { timeout: 15_000 }).toBe(2);
  expect(receivedBy(tenant, 'mailing/two')).toHaveLength(1);
  expect(new Set(receivedBy(tenant, 'mailing/one').map(({ id }) => id)).size).toBe(1);
});

test('events about one subject reach each listener in order, even when one is retried', async () => {
  const tenant = await platform.tenant();
  failures.clear();
  const count = 12;
  for (let n = 1; n <= count; n += 1)
    await emit(tenant, { n, subject: 'same', ...(n === 3 ? { fail: 'mailing/one' } : {}) });
  await expect.poll(() => receivedBy(tenant, 'mailing/one').at(-1)?.payload.n, { timeout: 20_000 }).toBe(count);
  const order = receivedBy(tenant, 'mailing/one').map(({ payload }) => payload.n);
  expect(order).toEqual([1, 2, 3, ...Array.from({ length: count - 2 }, (_, index) => index + 3)]);
});

test('a listener does not run for a tenant without its module', async () => {
  const tenant = await platform.tenant();
  await platform.kernel.installations.set(tenant.id, 'statistics', 'disabled');
  await emit(tenant, { n: 1 });
  expect(receivedBy(tenant, 'statistics/count')).toEqual([]);
});
