import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { type Ctx, job, sql, Type } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { startPlatform } from '../../testing/platform.ts';
import { testModule } from '../../testing/test-module.ts';
import { Context } from '../context/context.ts';

const runs: { job: string; tenant: string; data: unknown }[] = [];

/** Resolves when ten tasks run at once, which is more than there are workers. The fourth fails the first time. */
async function runTogether(n: number): Promise<void> {
  started.push(n);
  if (started.length === 10) ten.resolve();
  await ten.promise;
  if (started.indexOf(n) === 3 && started.length === 10) throw new Error('this task fails once');
}
const started: number[] = [];
const ten = Promise.withResolvers<void>();

const modules = [
  testModule({
    alias: 'work',
    jobs: {
      'work.note': job({
        data: Type.Unknown(),
        run: async (ctx, data) => void runs.push({ job: 'work.note', tenant: ctx.tenant.id, data }),
      }),
      'work.fail': job({
        data: Type.Unknown(),
        queue: 'build',
        retries: [10, 30, 60],
        run: async () => {
          throw new Error('this job always fails');
        },
      }),
      'work.numbered': job({ data: Type.Object({ n: Type.Integer() }), run: async () => {} }),
      'work.slow': job({
        data: Type.Unknown(),
        queue: 'slow',
        run: async (ctx) => void runs.push({ job: 'work.slow', tenant: ctx.tenant.id, data: null }),
      }),
      'work.short': job({
        data: Type.Object({ n: Type.Integer() }),
        queue: 'short',
        batchSize: 10,
        retries: [0],
        run: (_ctx, { n }) => runTogether(n),
      }),
      'work.hourly': job({
        data: Type.Unknown(),
        schedule: '30 * * * *',
        run: async (ctx) => void runs.push({ job: 'work.hourly', tenant: ctx.tenant.id, data: null }),
      }),
      'work.twice_a_night': job({
        data: Type.Unknown(),
        schedule: '0 3,5 * * *',
        run: async (ctx) => void runs.push({ job: 'work.twice_a_night', tenant: ctx.tenant.id, data: null }),
      }),
      'work.nightly': job({
        data: Type.Unknown(),
        schedule: '0 4 * * *',
        run: async (ctx) => void runs.push({ job: 'work.nightly', tenant: ctx.tenant.id, data: null }),
      }),
    },
  }),
];
const platform = await startPlatform({ modules });
const { jobs, central } = platform.kernel;
await platform.kernel.work(['default', 'build']);

function add(tenantId: string, name: string, data: unknown = {}) {
  return jobs.add({ job: name, tenant: tenantId, data, requestId: 'test' });
}

function row(tenantId: string) {
  return central.db.row<{ state: string; delay: number; tries: number }>(sql`
    SELECT state::text AS state, retry_count AS tries, round(extract(epoch FROM start_after - now()))::int AS delay
    FROM pgboss.job WHERE data->>'tenant' = ${tenantId} AND name = 'stable/build'
    ORDER BY created_on DESC LIMIT 1`);
}

test('failed jobs are listed before hundreds of waiting ones', async () => {
  const { id } = await platform.tenant();
  const task = { job: 'work.slow', tenant: id, data: {}, requestId: 'test' };
  await jobs.addAll(Array.from({ length: 510 }, () => ({ task })));
  await jobs.addDead(task, 'slow', 'it failed');
  const { rows, total } = await jobs.list();
  expect(rows).toHaveLength(500);
  expect(total).toBeGreaterThanOrEqual(511);
  expect(rows[0]).toMatchObject({ tenant: id, queue: 'dead', state: 'failed', error: 'it failed' });
  expect(await jobs.list({ onlyFailed: true })).toMatchObject({ rows: [{ tenant: id, error: 'it failed' }], total: 1 });
  await jobs.removeTenant(id);
});

test('a job runs for the tenant that added it', async () => {
  const tenant = await platform.tenant();
  const ctx: Ctx = new Context(platform.kernel, { requestId: 'r', module: 'work', tenant, system: true });
  await ctx.jobs.add('work.note' as never, { hello: 'world' } as never);
  await expect
    .poll(() => runs.filter((run) => run.tenant === tenant.id), { timeout: 10_000 })
    .toEqual([{ job: 'work.note', tenant: tenant.id, data: { hello: 'world' } }]);
});

test('a worker takes several tasks of a short job at once, and only the one that fails is retried', async () => {
  const { id: tenant } = await platform.tenant();
  const tasks = [...Array(10).keys()].map((n) => ({
    task: { job: 'work.short', tenant, data: { n }, requestId: 'test' },
  }));
  await jobs.addAll(tasks);
  await platform.kernel.work(['short']);
  await expect.poll(() => started, { timeout: 15_000 }).toHaveLength(11);
  expect(started[10]).toBe(started[3]);
});

test('a task that is added twice at once runs once, and does not hold up others', async () => {
  const { id: tenant } = await platform.tenant();
  const createTask = (data: string, id: string) => ({
    task: { job: 'work.note', tenant, data, requestId: 'test' },
    options: { id },
  });
  const [one, other] = [randomUUID(), randomUUID()];
  await jobs.addAll([createTask('one', one), createTask('other', other), createTask('one', one)]);
  await jobs.addAll([createTask('one', one), createTask('last', randomUUID())]);
  const notes = () => runs.filter((run) => run.tenant === tenant).map(({ data }) => data);
  await expect.poll(() => notes().sort()).toEqual(['last', 'one', 'other']);
});

test('a failing job is retried after the declared delays, then waits in the dead queue until an operator retries it', async () => {
  const { id } = await platform.tenant();
  await add(id, 'work.fail');
  for (const [tries, delay] of [10, 30, 60].entries()) {
    await expect.poll(async () => (await row(id))?.state, { timeout: 15_000 }).toBe('retry');
    const current = await row(id);
    expect(current?.tries).toBe(tries + (current?.state === 'active' ? 1 : 0));
    expect(Math.abs((current?.delay ?? 0) - delay)).toBeLessThanOrEqual(3);
    await central.db.run(
      sql`UPDATE pgboss.job SET start_after = now() WHERE data->>'tenant' = ${id} AND name = 'stable/build'`,
    );
    await expect.poll(async () => (await row(id))?.tries ?? tries + 1, { timeout: 15_000 }).toBe(tries + 1);
  }
  await expect
    .poll(async () => (await jobs.list()).rows.find(({ tenant }) => tenant === id), { timeout: 15_000 })
    .toMatchObject({
      queue: 'dead',
      job: 'work.fail',
      error: 'this job always fails',
    });
  expect(await jobs.retryDead()).toBe(1);
  await expect.poll(async () => (await row(id))?.state, { timeout: 15_000 }).toBe('retry');
});

test('a job that a transaction adds is queued when it commits, and not when it rolls back', async () => {
  const tenant = await platform.tenant();
  const addIn = (n: number, fails: boolean) =>
    tenant.context('work').tx(async (tx) => {
      await tx.jobs.add('work.note' as never, { n } as never);
      if (fails) throw new Error('roll back');
    });
  await expect(addIn(1, true)).rejects.toThrow('roll back');
  await addIn(2, false);
  await expect
    .poll(() => runs.filter((run) => run.tenant === tenant.id), { timeout: 10_000 })
    .toEqual([{ job: 'work.note', tenant: tenant.id, data: { n: 2 } }]);
  await expect.poll(() => tenant.db.rows(sql`SELECT * FROM added_jobs`)).toEqual([]);
});

test('a job added in a transaction whose process then died is queued once by the next sweep', async () => {
  const tenant = await platform.tenant();
  const { deliveries } = platform.kernel;
  const { moveJobs } = deliveries;
  // What a process leaves behind that dies between the commit and the queue.
  deliveries.moveJobs = async () => {};
  await tenant.context('work').tx((tx) => tx.jobs.add('work.note' as never, { n: 1 } as never));
  deliveries.moveJobs = moveJobs;
  expect(await tenant.db.rows(sql`SELECT * FROM added_jobs`)).toHaveLength(1);
  await deliveries.work();
  await deliveries.sweep();
  await expect.poll(() => runs.filter((run) => run.tenant === tenant.id).length, { timeout: 10_000 }).toBe(1);
  await expect.poll(() => tenant.db.rows(sql`SELECT * FROM added_jobs`)).toEqual([]);
});

test('a job with wrong data is refused before it is queued', async () => {
  const { jobs: queue } = (await platform.tenant()).context('work');
  await expect(queue.add('work.numbered' as never, { n: 'x' } as never)).rejects.toThrow(/does not match its schema/);
});

test('a job of a deleted tenant is dropped', async () => {
  await add('deleted-tenant', 'work.note');
  const left = () =>
    central.db.rows(sql`
    SELECT 1 FROM pgboss.job WHERE data->>'tenant' = 'deleted-tenant' AND state IN ('created', 'retry', 'active')`);
  await expect.poll(left, { timeout: 10_000 }).toEqual([]);
  expect(runs.some(({ tenant }) => tenant === 'deleted-tenant')).toBe(false);
});

test('a scheduled job runs for every tenant that has the module, and for no other', async () => {
  const [has, lacks] = [await platform.tenant(), await platform.tenant()];
  await platform.kernel.installations.set(lacks.id, 'work', 'disabled');
  const [schedule] = await central.db.rows(sql`SELECT cron FROM pgboss.schedule WHERE key = 'work.nightly'`);
  expect(schedule).toEqual({ cron: '0 4 * * *' });
  await add('', 'work.nightly');
  const nightly = () => runs.filter((run) => run.job === 'work.nightly').map(({ tenant }) => tenant);
  await expect.poll(nightly, { timeout: 10_000 }).toContain(has.id);
  expect(nightly()).not.toContain(lacks.id);
});

test('an hourly job visits tenants that were changed lately, and each other one once a day', async () => {
  const tenants = await Promise.all(Array.from({ length: 5 }, () => platform.tenant()));
  const [resting, pending, active, old] = tenants.map(({ id }) => id);
  await central.db.tx(async (tx) => {
    await tx.run(sql`UPDATE tenants SET updated_at = now() - interval '3 days' WHERE id <> ${tenants[4]?.id}`);
    await tx.run(sql`DELETE FROM outbox_activity`);
    await tx.run(sql`INSERT INTO outbox_activity (tenant_id) VALUES (${pending})`);
    await tx.run(sql`
      INSERT INTO tenant_activity VALUES (${active}, now() - interval '1 day'), (${old}, now() - interval '3 days')`);
  });
  const visit = async (name: string) => {
    const before = runs.length;
    await jobs.getHandler(name).perform({ job: name, tenant: '', data: {}, requestId: 'test' });
    const waiting = () =>
      central.db.rows(sql`
        SELECT 1 FROM pgboss.job WHERE data->>'job' = ${name} AND data->>'tenant' <> '' AND state IN ('created', 'retry', 'active')`);
    await expect.poll(waiting, { timeout: 10_000 }).toEqual([]);
    const visited = runs.slice(before).flatMap(({ job, tenant }) => (job === name ? [tenant] : []));
    return tenants.map(({ id }) => visited.includes(id));
  };
  expect(await visit('work.nightly')).toEqual([true, true, true, true, true]);
  const rows = await central.db.rows<{ id: string; isTime: boolean }>(sql`
    SELECT id, abs(hashtext(id)::bigint) % 24 = extract(hour FROM now() AT TIME ZONE 'UTC') AS "isTime" FROM tenants`);
  const isTime = (tenantId?: string) => rows.some(({ id, isTime: is }) => id === tenantId && is);
  expect(await visit('work.hourly')).toEqual([isTime(resting), true, true, isTime(old), true]);
  expect(await visit('work.twice_a_night')).toEqual([true, true, true, true, true]);
});

test('tasks for thousands of tenants are added all or none', async () => {
  const ids = Array.from({ length: 2_500 }, (_, index) => `many-${index}`);
  const task = { job: 'work.slow', tenant: '', data: {}, requestId: 'test' };
  const count = async () => {
    const rows = await central.db.rows(sql`SELECT FROM pgboss.job WHERE data->>'tenant' LIKE 'many-%'`);
    return rows.length;
  };
  await expect(jobs.addForTenants(task, [...ids, 'many-\0'])).rejects.toThrow();
  expect(await count()).toBe(0);
  await jobs.addForTenants(task, ids);
  expect(await count()).toBe(2_500);
  await central.db.run(sql`DELETE FROM pgboss.job WHERE data->>'tenant' LIKE 'many-%'`);
});

test('a schedule changes with its job, is not written again otherwise, and ends when no module has the job', async () => {
  const schedules = () =>
    central.db.rows<{ name: string; cron: string; written: string }>(sql`
      SELECT name, cron, xmin::text AS written FROM pgboss.schedule WHERE key = 'work.nightly'`);
  const start = async (nightly?: { queue: string; schedule: string }) => {
    const jobs = nightly ? { 'work.nightly': job({ data: Type.Unknown(), ...nightly, run: async () => {} }) } : {};
    const later = await startPlatform({ sharedWith: platform, modules: [testModule({ alias: 'work', jobs })] });
    await later.kernel.jobs.start();
  };
  expect(await schedules()).toMatchObject([{ name: 'stable/default', cron: '0 4 * * *' }]);
  await start({ queue: 'build', schedule: '30 4 * * *' });
  const changed = await schedules();
  expect(changed).toMatchObject([{ name: 'stable/build', cron: '30 4 * * *' }]);
  await start({ queue: 'build', schedule: '30 4 * * *' });
  expect(await schedules()).toEqual(changed);
  await start();
  expect(await schedules()).toEqual([]);
});

test('another worker takes over the job of a killed worker within 20 seconds', { timeout: 60_000 }, async () => {
  const tenant = await platform.tenant();
  const { user, password, port } = central.address;
  const child = spawn(process.execPath, [resolve(import.meta.dirname, '../../testing/stuck-worker.ts'), tenant.id], {
    env: {
      ...process.env,
      APP_ENV: 'testing',
      SPARE_DATABASES: '0',
      DATABASE_URL: `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${central.database}`,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  const killedAt = Date.now();
  await exited;
  await jobs.work(['slow']);
  await expect.poll(() => runs.some((run) => run.tenant === tenant.id), { timeout: 40_000 }).toBe(true);
  expect(Date.now() - killedAt).toBeLessThan(20_000);
});
