import { afterCommit, job, sql, Type } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { startPlatform, type TestPlatform, type TestTenant } from '../../testing/platform.ts';
import { testModule } from '../../testing/test-module.ts';
import { makeTaskIdsUnique } from './unique-task-ids.ts';

/* Two processes of one installation: the ring stable without the module extra, the ring edge with it. */

const runs: { ring: string; tenant: string; work: string }[] = [];

function createModules(ring: string) {
  const record = (work: string) => async (ctx: { tenant: { id: string } }) =>
    void runs.push({ ring, tenant: ctx.tenant.id, work });
  const work = testModule({
    alias: 'work',
    emits: ['work.happened'],
    jobs: { 'work.do': job({ data: Type.Unknown(), run: record('work.do') }) },
    listeners: [afterCommit('work.*' as never, 'hear', record('work/hear') as never)],
  });
  const extra = testModule({
    alias: 'extra',
    jobs: {
      'extra.do': job({ data: Type.Unknown(), run: record('extra.do') }),
      'extra.nightly': job({ data: Type.Unknown(), schedule: '0 4 * * *', run: record('extra.nightly') }),
    },
    listeners: [afterCommit('work.*' as never, 'hear', record('extra/hear') as never)],
  });
  return ring === 'edge' ? [work, extra] : [work];
}

const stable = await startPlatform({ modules: createModules('stable') });
const { central } = stable.kernel;
await central.db.run(sql`
  INSERT INTO module_rings (name, display_name, manifest_path, k8s_namespace, k8s_service, hostname_segment)
  VALUES ('edge', 'Edge', '', '', '', 'edge')`);
const edge = await startPlatform({
  modules: createModules('edge'),
  sharedWith: stable,
  environment: { RING_NAME: 'edge' },
});
await stable.kernel.work();

async function assign(tenant: TestTenant, ring: string): Promise<void> {
  await central.db.run(sql`
    UPDATE tenants SET module_ring_id = (SELECT id FROM module_rings WHERE name = ${ring}) WHERE id = ${tenant.id}`);
  await central.db.run(sql`
    INSERT INTO module_installations (tenant_id, alias, status)
    SELECT ${tenant.id}, unnest(ARRAY['work', 'extra']), 'enabled' ON CONFLICT DO NOTHING`);
  for (const { kernel } of [stable, edge]) await kernel.signals.waitUntilApplied();
}

async function tenantOn(ring: string): Promise<TestTenant> {
  const tenant = await stable.tenant();
  await assign(tenant, ring);
  return tenant;
}

const runsFor = ({ id }: TestTenant) =>
  runs.filter(({ tenant }) => tenant === id).map(({ ring, work }) => `${ring} ${work}`);

const addJob = ({ kernel }: TestPlatform, { id }: TestTenant, name: string) =>
  kernel.jobs.add({ job: name, tenant: id, data: {}, requestId: 'test' });

/** Adds a task of the tenant, whose ring runs at least one task added before it, and waits for its run. */
async function flush(ring: TestPlatform, tenant: TestTenant): Promise<void> {
  const before = runs.length;
  await addJob(ring, tenant, 'work.do');
  await expect.poll(() => runs.length, { timeout: 10_000 }).toBeGreaterThan(before);
}

test('the job of a tenant waits for a process of its ring, even when no other ring knows it', async () => {
  const [acme, other] = [await tenantOn('edge'), await tenantOn('stable')];
  await addJob(edge, acme, 'extra.do');
  await addJob(stable, acme, 'work.do');
  await flush(stable, other);
  expect(runsFor(acme)).toEqual([]);
  await edge.kernel.work();
  await expect.poll(() => runsFor(acme).sort(), { timeout: 10_000 }).toEqual(['edge extra.do', 'edge work.do']);
});

test('listeners run in the ring of the tenant, whichever process commits the event', async () => {
  const [acme, other] = [await tenantOn('edge'), await tenantOn('stable')];
  await edge.kernel.directory.find(acme.id);
  const onEdge = { ...acme, ...(await edge.kernel.directory.find(acme.id)) } as TestTenant;
  const { Context } = await import('../context/context.ts');
  const emit = (platform: TestPlatform, tenant: TestTenant) =>
    new Context(platform.kernel, { requestId: 'test', module: 'work', tenant, system: true }).emit(
      'work.happened' as never,
      {} as never,
    );
  await emit(edge, onEdge);
  await emit(stable, other);
  await expect.poll(() => runsFor(acme).sort(), { timeout: 10_000 }).toEqual(['edge extra/hear', 'edge work/hear']);
  await expect.poll(() => runsFor(other), { timeout: 10_000 }).toEqual(['stable work/hear']);
});

test('waiting tasks and events follow a tenant to its new ring and back', async () => {
  const acme = await tenantOn('edge');
  await edge.kernel.jobs.add(
    { job: 'work.do', tenant: acme.id, data: {}, requestId: 'test' },
    { startAt: new Date(Date.now() + 3_000) },
  );
  await assign(acme, 'stable');
  await expect.poll(() => runsFor(acme), { timeout: 15_000 }).toEqual(['stable work.do']);
  await assign(acme, 'edge');
  await addJob(stable, acme, 'work.do');
  await expect.poll(() => runsFor(acme), { timeout: 15_000 }).toEqual(['stable work.do', 'edge work.do']);
});

/** Adds a job to the outbox of the tenant and keeps it there, as if the server of the tenant failed before it is deleted. */
async function addUndeletable(platform: TestPlatform, tenant: TestTenant, delaySeconds: number): Promise<void> {
  await tenant.db.run(sql`CREATE FUNCTION refuse() RETURNS trigger AS $$ BEGIN RAISE 'no'; END $$ LANGUAGE plpgsql`);
  await tenant.db.run(sql`CREATE TRIGGER refuse BEFORE DELETE ON added_jobs EXECUTE FUNCTION refuse()`);
  const { Context } = await import('../context/context.ts');
  const ctx = new Context(platform.kernel, { requestId: 'test', module: 'work', tenant, system: true });
  await ctx.tx((tx) => tx.jobs.add('work.do' as never, {} as never, { delaySeconds }));
}

async function countAdded({ db }: TestTenant): Promise<number> {
  return (await db.row<{ count: number }>(sql`SELECT count(*) FROM added_jobs`))?.count ?? 0;
}

/** Lets the ring of the tenant add once more what is in the outbox, and waits until that is done. */
async function sweep({ kernel }: TestPlatform, tenant: TestTenant): Promise<void> {
  await tenant.db.run(sql`DROP TRIGGER IF EXISTS refuse ON added_jobs`);
  await kernel.events.recordActivity(tenant.id);
  await kernel.deliveries.sweep();
  await expect.poll(() => countAdded(tenant), { timeout: 10_000 }).toBe(0);
}

test('a job that could not be deleted from the outbox does not run again in another ring', async () => {
  const acme = await tenantOn('stable');
  await addUndeletable(stable, acme, 0);
  await expect.poll(() => runsFor(acme), { timeout: 10_000 }).toEqual(['stable work.do']);
  expect(await countAdded(acme)).toBe(1);
  await assign(acme, 'edge');
  await sweep(edge, acme);
  await addJob(edge, acme, 'extra.do');
  await expect.poll(() => runsFor(acme), { timeout: 10_000 }).toContain('edge extra.do');
  expect(runsFor(acme)).toEqual(['stable work.do', 'edge extra.do']);
});

test('nor does one that waited in the queue of the earlier ring', async () => {
  const acme = await tenantOn('stable');
  await addUndeletable(stable, acme, 2);
  await expect
    .poll(() => central.db.rows(sql`SELECT name FROM pgboss.job WHERE data->>'tenant' = ${acme.id}`))
    .toEqual([{ name: 'stable/default' }]);
  await assign(acme, 'edge');
  await expect.poll(() => runsFor(acme), { timeout: 15_000 }).toEqual(['edge work.do']);
  await sweep(edge, acme);
  await addJob(edge, acme, 'extra.do');
  await expect.poll(() => runsFor(acme), { timeout: 10_000 }).toContain('edge extra.do');
  expect(runsFor(acme)).toEqual(['edge work.do', 'edge extra.do']);
});

test('a task that an earlier version has added to the queues of two rings does not keep a process from starting', async () => {
  await central.db.run(sql`DROP INDEX pgboss.chowk_task_id`);
  await central.db.run(sql`
    INSERT INTO pgboss.job (id, name, data, expire_seconds, deletion_seconds, policy, state)
    SELECT ${'01934f2e-0000-7000-8000-000000000000'}::uuid, name, '{}', 60, 60, 'standard', 'completed'
    FROM unnest(ARRAY['stable/default', 'edge/default', 'stable/events', 'dead']) AS name`);
  await makeTaskIdsUnique(central.db);
  const queues = await central.db.rows<{ name: string }>(sql`
    SELECT name FROM pgboss.job WHERE id = ${'01934f2e-0000-7000-8000-000000000000'}::uuid ORDER BY name`);
  expect(queues.map(({ name }) => name)).toEqual(['dead', 'stable/default', 'stable/events']);
});

test('an event for a listener that the ring does not have waits until the tenant is on a ring that has it', async () => {
  const acme = await tenantOn('stable');
  await acme.db.run(sql`
    INSERT INTO event_deliveries (event_id, name, payload, emitted_at, listener)
    VALUES (gen_random_uuid(), 'work.happened', '{}', now(), 'extra/hear'), (gen_random_uuid(), 'work.happened', '{}', now(), 'work/hear')`);
  stable.kernel.deliveries.wake(acme);
  await expect.poll(() => runsFor(acme), { timeout: 10_000 }).toEqual(['stable work/hear']);
  await expect
    .poll(() => acme.db.rows(sql`SELECT listener FROM event_deliveries`))
    .toEqual([{ listener: 'extra/hear' }]);
  await assign(acme, 'edge');
  stable.kernel.deliveries.wake((await stable.kernel.directory.find(acme.id)) as TestTenant);
  await expect.poll(() => runsFor(acme), { timeout: 10_000 }).toEqual(['stable work/hear', 'edge extra/hear']);
});

test('a task whose job no module of the process has is left waiting and not counted as a try', async () => {
  const acme = await tenantOn('stable');
  const task = JSON.stringify({ job: 'gone.do', tenant: acme.id, data: {}, requestId: 'test' });
  await flush(stable, acme);
  await central.db.run(sql`
    INSERT INTO pgboss.job (name, data, retry_limit, expire_seconds, deletion_seconds, policy)
    SELECT name, ${task}::jsonb, 1, 60, 60, 'standard' FROM pgboss.queue WHERE name = 'stable/default'`);
  const read = () =>
    central.db.row<{ state: string; retry_count: number; waits: boolean }>(sql`
      SELECT state::text, retry_count, start_after > now() AS waits FROM pgboss.job WHERE data->>'job' = 'gone.do'`);
  for (let attempt = 0; attempt < 3; attempt += 1) {
    await expect.poll(read, { timeout: 10_000 }).toEqual({ state: 'created', retry_count: 0, waits: true });
    await central.db.run(sql`UPDATE pgboss.job SET start_after = now() WHERE data->>'job' = 'gone.do'`);
    await flush(stable, acme);
  }
});

test('a scheduled job becomes one task for each tenant of its ring', async () => {
  const [onEdge, onStable] = [await tenantOn('edge'), await tenantOn('stable')];
  await edge.kernel.jobs.add({ job: 'extra.nightly', tenant: '', data: {}, requestId: 'schedule' });
  await expect.poll(() => runsFor(onEdge), { timeout: 10_000 }).toEqual(['edge extra.nightly']);
  expect(runsFor(onStable)).toEqual([]);
  const rows = await central.db.rows(sql`SELECT name FROM pgboss.schedule WHERE key = 'extra.nightly'`);
  expect(rows).toEqual([{ name: 'edge/default' }]);
});
