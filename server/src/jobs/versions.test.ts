import {
  afterCommit,
  type Delivery,
  defineEvent,
  job,
  setting,
  settingDefinitions,
  sql,
  Type,
} from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { startPlatform, type TestPlatform, type TestTenant } from '../../testing/platform.ts';
import { testModule } from '../../testing/test-module.ts';
import { Context } from '../context/context.ts';
import { findWaitingEvents } from '../operator/waiting-events.ts';
import type { TenantEntry } from '../tenancy/directory.ts';

/* Two rings with two versions of one module: 2.0.0 has a color and one more size. */

const runs: { version: string; tenant: string; work: string; data: unknown; emittedBy?: string | undefined }[] = [];

function parcels(version: '1.0.0' | '2.0.0') {
  const Size = Type.String({ enum: version === '1.0.0' ? ['small', 'large'] : ['small', 'large', 'huge'] });
  const Parcel = Type.Object({
    size: Size,
    ...(version === '1.0.0' ? {} : { color: Type.Optional(Type.String()), label: Type.String({ default: 'none' }) }),
  });
  const settings = { 'parcels.size': setting({ schema: Size, default: 'small', description: 'The usual size.' }) };
  const record = (work: string) => async (ctx: { tenant: { id: string } }, data: unknown, delivery?: Delivery) =>
    void runs.push({ version, tenant: ctx.tenant.id, work, data, emittedBy: delivery?.version });
  const module = testModule({
    alias: 'parcels',
    events: { 'parcel.sent': defineEvent({ summary: 'Sent', payload: Parcel, subject: () => 'one' }) },
    jobs: { 'parcels.weigh': job({ data: Parcel, run: record('weigh') as never }) },
    listeners: [afterCommit('parcel.sent' as never, 'hear', record('hear') as never)],
    settings,
  });
  return { ...module, manifest: { ...module.manifest, version, settings: settingDefinitions(settings) as never } };
}

const stable = await startPlatform({ modules: [parcels('1.0.0')] });
const { central } = stable.kernel;
await central.db.run(sql`
  INSERT INTO module_rings (name, display_name, manifest_path, k8s_namespace, k8s_service, hostname_segment)
  VALUES ('edge', 'Edge', '', '', '', 'edge')`);
const edge = await startPlatform({
  modules: [parcels('2.0.0')],
  sharedWith: stable,
  environment: { RING_NAME: 'edge' },
});
await stable.kernel.work();
await edge.kernel.work();

async function assign({ id }: TestTenant, ring: string): Promise<void> {
  await central.db.run(sql`
    UPDATE tenants SET module_ring_id = (SELECT id FROM module_rings WHERE name = ${ring}) WHERE id = ${id}`);
  for (const { kernel } of [stable, edge]) await kernel.signals.waitUntilApplied();
}

async function contextIn({ kernel }: TestPlatform, { id }: TestTenant): Promise<Context> {
  const tenant = (await kernel.directory.find(id)) as TenantEntry;
  return new Context(kernel, { requestId: 'test', module: 'parcels', tenant, system: true });
}

const emit = async (ring: TestPlatform, tenant: TestTenant, payload: object) =>
  (await contextIn(ring, tenant)).emit('parcel.sent' as never, payload as never);
const runsFor = ({ id }: TestTenant) => runs.filter(({ tenant }) => tenant === id).map(({ tenant, ...run }) => run);

/** Delivers now what waits for the next attempt. */
async function retryNow(ring: TestPlatform, tenant: TestTenant): Promise<void> {
  await tenant.db.run(sql`UPDATE event_deliveries SET due_at = now() WHERE due_at > now()`);
  ring.kernel.deliveries.wake((await ring.kernel.directory.find(tenant.id)) as TenantEntry);
}

/** Emits or adds while the tenant is on edge, so that stable gets it after the assignment. */
async function leaveWaiting(tenant: TestTenant, ...payloads: object[]): Promise<void> {
  await assign(tenant, 'edge');
  await tenant.db.tx(async (tx) => {
    for (const payload of payloads) {
      await tx.run(sql`
        INSERT INTO event_deliveries (event_id, name, about, payload, emitted_at, listener, version)
        VALUES (gen_random_uuid(), 'parcel.sent', 'one', ${JSON.stringify(payload)}::jsonb, now(), 'parcels/hear', '2.0.0')`);
    }
  });
  await assign(tenant, 'stable');
  stable.kernel.deliveries.wake((await stable.kernel.directory.find(tenant.id)) as TenantEntry);
}

test('an event carries the version of the module that emitted it', async () => {
  const acme = await stable.tenant();
  await emit(stable, acme, { size: 'small' });
  await eventually(() =>
    expect(runsFor(acme)).toEqual([{ version: '1.0.0', work: 'hear', data: { size: 'small' }, emittedBy: '1.0.0' }]),
  );
});

test('an older version gets an event of a newer one without the fields that it does not know', async () => {
  const acme = await stable.tenant();
  await leaveWaiting(acme, { size: 'large', color: 'red', label: 'x' });
  await eventually(() =>
    expect(runsFor(acme)).toEqual([{ version: '1.0.0', work: 'hear', data: { size: 'large' }, emittedBy: '2.0.0' }]),
  );
});

test('an event that the version of the ring cannot read waits, in order, until the tenant is on a ring that can', async () => {
  const acme = await stable.tenant();
  await leaveWaiting(acme, { size: 'huge', label: 'a' }, { size: 'small', label: 'b' });
  const waitsFor = 'a ring that can read parcel.sent of parcels 2.0.0; 1.0.0 cannot (size)';
  const waiting = () => acme.db.rows(sql`SELECT waits_for, attempts FROM event_deliveries WHERE waits_for IS NOT NULL`);
  for (let attempt = 0; attempt < 2; attempt += 1) {
    await eventually(async () => expect(await waiting()).toEqual([{ waits_for: waitsFor, attempts: 0 }]));
    await retryNow(stable, acme);
  }
  expect(runsFor(acme)).toEqual([]);
  await central.db.run(sql`INSERT INTO outbox_activity (tenant_id) VALUES (${acme.id}) ON CONFLICT DO NOTHING`);
  expect((await findWaitingEvents(stable.kernel)).map(({ subject }) => subject)).toEqual([
    `${acme.id}: 1 event waits for ${waitsFor}`,
  ]);

  await assign(acme, 'edge');
  await eventually(async () => {
    // The last attempt of the other ring may postpone it once more.
    await retryNow(edge, acme);
    expect(runsFor(acme).map(({ version, data }) => ({ version, data }))).toEqual([
      { version: '2.0.0', data: { size: 'huge', label: 'a' } },
      { version: '2.0.0', data: { size: 'small', label: 'b' } },
    ]);
  });
  await eventually(async () => expect(await acme.db.rows(sql`SELECT FROM event_deliveries`)).toEqual([]));
});

test('a newer version fills in the defaults of fields that an event of an older one does not have', async () => {
  const acme = await stable.tenant();
  await acme.db.run(sql`
    INSERT INTO event_deliveries (event_id, name, payload, emitted_at, listener, version)
    VALUES (gen_random_uuid(), 'parcel.sent', '{"size":"small"}', now(), 'parcels/hear', '1.0.0')`);
  await assign(acme, 'edge');
  await retryNow(edge, acme);
  await eventually(() =>
    expect(runsFor(acme)).toEqual([
      { version: '2.0.0', work: 'hear', data: { size: 'small', label: 'none' }, emittedBy: '1.0.0' },
    ]),
  );
});

test('a task with data that the version of the ring cannot read waits and is not counted as a try', async () => {
  const acme = await stable.tenant();
  await assign(acme, 'edge');
  const ctx = await contextIn(edge, acme);
  await ctx.jobs.add('parcels.weigh' as never, { size: 'huge', label: 'a' } as never, { delaySeconds: 2 });
  await ctx.jobs.add('parcels.weigh' as never, { size: 'large', label: 'b' } as never, { delaySeconds: 2 });
  await assign(acme, 'stable');
  const waiting = async () => (await stable.kernel.jobs.list()).rows.filter(({ tenant }) => tenant === acme.id);
  await eventually(async () =>
    expect(await waiting()).toMatchObject([
      { ring: 'stable', tries: 1, error: 'waits: parcels 1.0.0 cannot read the data of 2.0.0' },
    ]),
  );
  await eventually(() => expect(runsFor(acme)).toMatchObject([{ version: '1.0.0', data: { size: 'large' } }]));
  await assign(acme, 'edge');
  await central.db.run(sql`UPDATE pgboss.job SET start_after = now() WHERE data->>'tenant' = ${acme.id}`);
  await eventually(() =>
    expect(runsFor(acme)).toMatchObject([{ version: '1.0.0' }, { version: '2.0.0', data: { size: 'huge' } }]),
  );
});

test('a setting that only a newer version accepts is read as the default and kept', async () => {
  const acme = await stable.tenant();
  const { settings } = edge.kernel;
  await settings.change(acme.id, { 'parcels.size': 'huge' } as never, () => true);
  await stable.kernel.signals.waitUntilApplied();
  const read = async ({ kernel }: TestPlatform) =>
    ((await kernel.settings.get(acme.id)) as unknown as Record<string, unknown>)['parcels.size'];
  expect([await read(stable), await read(edge)]).toEqual(['small', 'huge']);
  await stable.kernel.settings.change(acme.id, { 'general.currency': 'EUR' } as never, () => true);
  await edge.kernel.signals.waitUntilApplied();
  expect(await read(edge)).toBe('huge');
});
