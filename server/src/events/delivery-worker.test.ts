import { afterCommit, type Ctx, defineEvent, sql, Type } from '@chowk/kit/kernel';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startPlatform, type TestPlatform, type TestTenant } from '../../testing/platform.ts';
import { testModule } from '../../testing/test-module.ts';
import { Context } from '../context/context.ts';
import type { Task } from '../jobs/task.ts';
import type { TenantEntry } from '../tenancy/directory.ts';
import { deliverBatch } from './deliver-batch.ts';

const received: string[] = [];
const failing = new Set<string>();
/** Deliveries that a test holds up, by tenant. */
const gates = new Map<string, { entered: () => void; open: Promise<void> }>();

async function receive(ctx: Ctx, payload: unknown): Promise<void> {
  const { n } = payload as { n: number };
  const gate = gates.get(ctx.tenant.id);
  if (gate) {
    gate.entered();
    await gate.open;
  }
  if (failing.has(`${ctx.tenant.id} ${n}`)) throw new Error(`${n} fails`);
  received.push(`${ctx.tenant.id} ${n}`);
}

const Numbered = Type.Object({ n: Type.Integer(), subject: Type.Optional(Type.String()) });
const event = defineEvent({ summary: 'It happened', payload: Numbered, subject: ({ subject }) => subject });
const modules = [
  testModule({ alias: 'source', events: { 'thing.one': event, 'thing.two': event, 'other.one': event } }),
  testModule({ alias: 'mailing', listeners: [afterCommit('thing.*' as never, 'all', receive as never)] }),
];

const platform = await startPlatform({ modules });
const { central, deliveries, jobs } = platform.kernel;
await platform.kernel.work();

const emit = ({ kernel }: TestPlatform, tenant: TenantEntry, numbers: readonly number[], name = 'thing.one') =>
  new Context(kernel, { requestId: 'test', module: 'source', tenant, system: true }).emitAll(
    name as never,
    numbers.map((n) => ({ n, subject: 'same' })) as never,
  );

const receivedBy = ({ id }: TestTenant) =>
  received.filter((entry) => entry.startsWith(`${id} `)).map((entry) => Number(entry.split(' ')[1]));
const pending = (tenant: TestTenant) => tenant.db.rows(sql`SELECT seq FROM event_deliveries`);
const eventually = { timeout: 10_000 };

/** Holds up deliveries to a tenant. */
function hold({ id }: TestTenant): { entered: Promise<void>; release: () => void } {
  const entered = Promise.withResolvers<void>();
  const open = Promise.withResolvers<void>();
  gates.set(id, { entered: entered.resolve, open: open.promise });
  const release = () => {
    gates.delete(id);
    open.resolve();
  };
  return { entered: entered.promise, release };
}

test('a listener to a pattern gets all matching events, and many at once in order', async () => {
  const tenant = await platform.tenant();
  await emit(platform, tenant, [1, 2, 3]);
  await emit(platform, tenant, [4], 'thing.two');
  await emit(platform, tenant, [5], 'other.one');
  await emit(
    platform,
    tenant,
    Array.from({ length: 250 }, (_, n) => n + 6),
  );
  const expected = [1, 2, 3, 4, ...Array.from({ length: 250 }, (_, n) => n + 6)];
  await expect.poll(() => receivedBy(tenant), eventually).toEqual(expected);
  await expect.poll(() => pending(tenant), eventually).toEqual([]);
});

test('an event whose payload does not match its schema is refused', async () => {
  const tenant = await platform.tenant();
  await expect(emit(platform, tenant, ['x' as never])).rejects.toThrow(
    'the payload of thing.one does not match its schema',
  );
});

test('an event that is committed during a delivery does not wait for the next sweep', async () => {
  const tenant = await platform.tenant();
  const { entered, release } = hold(tenant);
  await emit(platform, tenant, [1]);
  await entered;
  await emit(platform, tenant, [2]);
  release();
  await expect.poll(() => receivedBy(tenant), eventually).toEqual([1, 2]);
});

test('nor does an event that another process commits meanwhile', async () => {
  const other = await startPlatform({ modules, sharedWith: platform });
  await other.kernel.work();
  const tenant = await platform.tenant();
  const { entered, release } = hold(tenant);
  await emit(platform, tenant, [1]);
  await entered;
  await emit(other, (await other.kernel.directory.find(tenant.id)) as TenantEntry, [2]);
  release();
  await expect.poll(() => receivedBy(tenant), eventually).toEqual([1, 2]);
  await other.kernel.deliveries.close();
});

test('an event of a process that does not deliver is delivered by one that does', async () => {
  const web = await startPlatform({ modules, sharedWith: platform });
  const tenant = await platform.tenant();
  await emit(web, (await web.kernel.directory.find(tenant.id)) as TenantEntry, [1]);
  await expect.poll(() => receivedBy(tenant), eventually).toEqual([1]);
});

test('tenants whose listeners hang do not delay the others', async () => {
  const hanging = await Promise.all(Array.from({ length: 5 }, () => platform.tenant()));
  const holds = hanging.map(hold);
  for (const tenant of hanging) await emit(platform, tenant, [1]);
  const tenant = await platform.tenant();
  await emit(platform, tenant, [1]);
  await expect.poll(() => receivedBy(tenant), eventually).toEqual([1]);
  for (const { release } of holds) release();
  for (const one of hanging) await expect.poll(() => receivedBy(one), eventually).toEqual([1]);
});

test('a delivery that fails permanently waits for an operator; retried, it comes before later ones', async () => {
  const tenant = await platform.tenant();
  failing.add(`${tenant.id} 1`).add(`${tenant.id} 2`);
  const { entered, release } = hold(tenant);
  await emit(platform, tenant, [1]);
  await entered;
  await tenant.db.run(sql`UPDATE event_deliveries SET attempts = 5`);
  release();
  // The delivery was read before: its next attempt is the last.
  await expect
    .poll(() => tenant.db.rows(sql`SELECT attempts FROM event_deliveries`), eventually)
    .toEqual([{ attempts: 6 }]);
  await tenant.db.run(sql`UPDATE event_deliveries SET attempts = 5, due_at = now()`);
  deliveries.wake(tenant);
  const dead = async () => (await jobs.list()).rows.filter((job) => job.tenant === tenant.id);
  await expect
    .poll(dead, eventually)
    .toMatchObject([{ queue: 'dead', job: 'kernel.deliver', error: 'mailing/all on thing.one: 1 fails' }]);
  await expect.poll(() => tenant.db.rows(sql`SELECT due_at FROM event_deliveries`)).toEqual([{ due_at: null }]);

  // It does not block later events about the same subject.
  await emit(platform, tenant, [2]);
  await expect
    .poll(() => tenant.db.rows(sql`SELECT FROM event_deliveries WHERE attempts = 1`), eventually)
    .toHaveLength(1);
  failing.clear();
  const [{ id = '' } = {}] = await dead();
  expect(await jobs.retryDead(id)).toBe(1);
  await expect.poll(() => receivedBy(tenant), eventually).toEqual([1, 2]);
  expect(await dead()).toEqual([]);
});

test('a failed delivery is kept while the queue for operators cannot be written', async () => {
  const tenant = await platform.tenant();
  const { addDead } = jobs;
  const tried = Promise.withResolvers<void>();
  jobs.addDead = async () => {
    tried.resolve();
    throw new Error('the central database is down');
  };
  failing.add(`${tenant.id} 1`);
  await tenant.db.run(sql`
    INSERT INTO event_deliveries (event_id, name, payload, emitted_at, listener, attempts)
    VALUES (gen_random_uuid(), 'thing.one', '{"n":1}', now(), 'mailing/all', 5)`);
  deliveries.wake(tenant);
  await tried.promise;
  jobs.addDead = addDead;
  failing.clear();
  deliveries.wake(tenant);
  await expect.poll(() => receivedBy(tenant), eventually).toEqual([1]);
});

test('after a failure of the database the events are delivered within seconds', async () => {
  const tenant = await platform.tenant();
  vi.spyOn(platform.kernel.signals, 'tryLock').mockRejectedValueOnce(new Error('the connection was lost'));
  await emit(platform, tenant, [1]);
  await expect.poll(() => receivedBy(tenant), eventually).toEqual([1]);
});

test('a job that is added while another one is being moved is moved too', async () => {
  const tenant = { id: 'test', db: { run: async () => {} } } as unknown as TenantEntry;
  const moved = new Set<string | undefined>();
  vi.spyOn(jobs, 'addAll').mockImplementation(async (all) => {
    for (const { options } of all) moved.add(options?.id);
  });
  onTestFinished(() => void vi.restoreAllMocks());
  const move = (id: string) => deliveries.moveJobs(tenant, [{ id, task: {} as Task, startAt: null }]);
  for (let turns = 0; turns < 40; turns++) {
    const first = move(`first ${turns}`);
    for (let turn = 0; turn < turns; turn++) await null;
    await move(`second ${turns}`);
    await first;
    expect(moved).toContain(`second ${turns}`);
  }
});

test('a sweep delivers old events, and forgets a tenant only when nothing waits', async () => {
  const [waiting, done] = [await platform.tenant(), await platform.tenant()];
  failing.add(`${waiting.id} 1`);
  for (const { id, db } of [waiting, done]) {
    await db.run(sql`
      INSERT INTO event_deliveries (event_id, name, payload, emitted_at, listener)
      VALUES (gen_random_uuid(), 'thing.one', '{"n":1}', now() - interval '1 hour', 'mailing/all')`);
    await central.db.run(sql`
      INSERT INTO outbox_activity (tenant_id, active_at) VALUES (${id}, now() - interval '1 hour')`);
  }
  await deliveries.sweep();
  await expect.poll(() => receivedBy(done), eventually).toEqual([1]);
  const remembered = async () => {
    const rows = await central.db.rows<{ tenant_id: string }>(sql`SELECT tenant_id FROM outbox_activity`);
    return [waiting, done].map(({ id }) => rows.some(({ tenant_id }) => tenant_id === id));
  };
  await expect.poll(remembered, eventually).toEqual([true, false]);
  const ages = await central.db.rows(sql`
    SELECT round(extract(epoch FROM now() - active_at) / 3600)::int AS hours FROM tenant_activity WHERE tenant_id = ${done.id}`);
  expect(ages).toEqual([{ hours: 1 }]);
  failing.clear();
});

test('one unreachable tenant does not stop the sweep of the others', async () => {
  const [lost, fine] = [await platform.tenant(), await platform.tenant()];
  for (const { id, db } of [lost, fine]) {
    await db.run(sql`
      INSERT INTO event_deliveries (event_id, name, payload, emitted_at, listener)
      VALUES (gen_random_uuid(), 'thing.one', '{"n":1}', now(), 'mailing/all')`);
    await central.db.run(sql`INSERT INTO outbox_activity (tenant_id) VALUES (${id})`);
  }
  await central.db.run(sql`UPDATE tenants SET database_name = 'no_such_database' WHERE id = ${lost.id}`);
  await platform.kernel.signals.waitUntilApplied();
  await deliveries.sweep();
  await expect.poll(() => receivedBy(fine), eventually).toEqual([1]);
  expect(receivedBy(lost)).toEqual([]);
});

test('an event for a module that the tenant has disabled meanwhile is dropped', async () => {
  const tenant = await platform.tenant();
  const { entered, release } = hold(tenant);
  await emit(platform, tenant, [1]);
  await entered;
  await emit(platform, tenant, [2]);
  await platform.kernel.installations.set(tenant.id, 'mailing', 'disabled');
  release();
  await expect.poll(() => pending(tenant), eventually).toEqual([]);
  expect(receivedBy(tenant)).toEqual([1]);
});

test('a job that no module has holds up neither other jobs nor other tenants', async () => {
  const [first, second] = await Promise.all([platform.tenant(), platform.tenant()]);
  const add = (tenant: TestTenant, job: string) => {
    const task: Task = { job, tenant: tenant.id, data: {}, requestId: 'test' };
    return tenant.db.run(sql`
      INSERT INTO added_jobs (id, task) SELECT gen_random_uuid(), ${JSON.stringify(task)}::jsonb
      FROM generate_series(1, ${job === 'gone.away' ? 600 : 1})`);
  };
  await add(first, 'gone.away');
  for (const tenant of [first, second]) {
    await add(tenant, 'kernel.prune');
    await platform.kernel.events.recordActivity(tenant.id);
    await tenant.db.run(sql`
      INSERT INTO event_deliveries (event_id, name, payload, emitted_at, listener)
      VALUES (gen_random_uuid(), 'thing.one', '{"n": 1}', now(), 'mailing/all')`);
  }
  await deliveries.sweep();
  for (const tenant of [first, second]) await expect.poll(() => receivedBy(tenant), eventually).toEqual([1]);
  const left = await first.db.rows<{ job: string }>(sql`SELECT DISTINCT task->>'job' AS job FROM added_jobs`);
  expect(left).toEqual([{ job: 'gone.away' }]);
  expect(await second.db.rows(sql`SELECT id FROM added_jobs`)).toEqual([]);
});

test('a tenant is not released while one of its listeners still runs', async () => {
  const tenant = await platform.tenant();
  const { entered, release } = hold(tenant);
  const failed = Promise.withResolvers<void>();
  let isReleased = false;
  let calls = 0;
  const options = {
    listeners: new Map(modules[1]?.definition.listeners?.map((one) => ['mailing/all', { ...one, module: 'mailing' }])),
    hasModule: async () => {
      calls += 1;
      if (calls === 1) return true;
      failed.resolve();
      throw new Error('the central database is gone');
    },
    read: ({ payload }: { payload: unknown }) => ({ payload }),
    contextFor: () => tenant.context('mailing'),
    jobs: () => jobs,
    log: platform.kernel.log,
  };
  await tenant.db.run(sql`
    INSERT INTO event_deliveries (event_id, name, payload, emitted_at, listener)
    SELECT gen_random_uuid(), 'thing.one', json_build_object('n', n), now(), 'mailing/all' FROM generate_series(1, 2) n`);
  const batch = deliverBatch(options, tenant).finally(() => {
    isReleased = true;
  });
  batch.catch(() => {});
  await Promise.all([entered, failed.promise]);
  await pending(tenant);
  expect(isReleased).toBe(false);
  release();
  await expect(batch).rejects.toThrow('the central database is gone');
  expect(receivedBy(tenant)).toEqual([1]);
  // What is done is not done again.
  expect(await pending(tenant)).toHaveLength(1);
});
