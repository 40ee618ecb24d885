import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { printTable } from './figures.ts';
import { type Platform, startPlatform } from './platform.ts';
import { freePort, onStage } from './stage.ts';

/*
 * Do two rings with different modules lose or repeat tasks? Runs for five minutes (`SECONDS=30` for less) while a tenant
 * moves between the rings. Fails if a task is missing, repeated or done by the wrong ring.
 */

const seconds = Number(process.env.SECONDS ?? 300);
const moveEverySeconds = 5;
const clients = 4;
const stuckMs = 60_000;
const kinds = ['change', 'event', 'job', 'extra event', 'extra job'] as const;

await onStage(async (stage) => {
  const storagePath = await stage.folder();
  const ports: Record<string, number> = { stable: await freePort(), edge: await freePort() };
  // A request that is sent while its tenant moves is forwarded.
  const RING_URLS = Object.entries(ports)
    .map(([ring, port]) => `${ring}=http://127.0.0.1:${port}`)
    .join(',');
  const start = (ring: string) =>
    startPlatform(stage, {
      storagePath,
      environment: { SPARE_DATABASES: '0', RING_NAME: ring, PORT: String(ports[ring]), RING_URLS },
    });
  const stable = await start('stable');
  const central = new pg.Client({ ...stable.database, database: stable.central });
  await central.connect();
  stage.atEnd(() => central.end());
  await central.query(`
    INSERT INTO module_rings (name, display_name, manifest_path, k8s_namespace, k8s_service, hostname_segment)
    VALUES ('edge', 'Edge', '', '', '', 'edge')`);
  for (const id of ['steady', 'moving', 'bold']) await stable.post('/api/v1/bench/tenants', { id });
  const rings: Record<string, string> = { steady: 'stable', moving: 'stable', bold: 'edge' };
  const assign = async (tenant: string, ring: string) => {
    rings[tenant] = ring;
    await central.query(
      'UPDATE tenants SET module_ring_id = (SELECT id FROM module_rings WHERE name = $2) WHERE id = $1',
      [tenant, ring],
    );
    await central.query(
      `INSERT INTO module_installations (tenant_id, alias, status) VALUES ($1, 'extra', 'enabled') ON CONFLICT DO NOTHING`,
      [tenant],
    );
  };
  for (const [tenant, ring] of Object.entries(rings)) await assign(tenant, ring);
  const edge = await start('edge');

  const deadline = performance.now() + seconds * 1_000;
  let sequence = 0;
  const send = async (tenant: string) => {
    while (performance.now() < deadline) {
      const platform: Platform = rings[tenant] === 'edge' ? edge : stable;
      await platform.post('/api/v1/bench/work', { n: ++sequence }, platform.headers(tenant));
    }
  };
  const move = async () => {
    while (performance.now() < deadline) {
      await delay(moveEverySeconds * 1_000);
      await assign('moving', rings.moving === 'edge' ? 'stable' : 'edge');
    }
  };
  await Promise.all([
    ...Object.keys(rings).flatMap((tenant) => Array.from({ length: clients }, () => send(tenant))),
    move(),
  ]);

  // Jobs of the module that only the ring edge has wait until the tenant is back there.
  await assign('moving', 'edge');
  const rows = await Promise.all(
    Object.keys(rings).map(async (tenant) => {
      const counts = await settled(stable, tenant);
      const problem = findProblem(tenant, counts);
      if (problem) throw new Error(`${tenant}: ${problem}: ${JSON.stringify(counts)}`);
      return [tenant, ...kinds.map((kind) => String(counts[kind]))];
    }),
  );
  printTable(
    `Two rings, ${seconds} s of traffic, one tenant moving every ${moveEverySeconds} s: nothing lost, nothing twice`,
    ['tenant', 'changes', 'events', 'jobs', 'extra events', 'extra jobs'],
    rows,
  );
});

/** Lines by kind and by ring. */
type Counts = Record<(typeof kinds)[number] | 'stable' | 'edge', number>;

function findProblem(tenant: string, counts: Counts): string | undefined {
  const { change, event, job, stable, edge } = counts;
  if (event !== change || job !== change) return 'a task was lost or repeated';
  if (counts['extra job'] !== counts['extra event']) return 'a task of the ring edge was lost or repeated';
  if (tenant === 'bold' && counts['extra event'] !== change) return 'an event of the ring edge was lost or repeated';
  if ((tenant === 'bold' && stable > 0) || (tenant === 'steady' && edge > 0))
    return 'a task was done by the wrong ring';
  return undefined;
}

/** The counts when nothing is missing, or when nothing has happened for longer than an unknown job is postponed. */
async function settled({ database }: Platform, tenant: string): Promise<Counts> {
  const client = new pg.Client({ ...database, database: `tenant${tenant}` });
  await client.connect();
  const count = async () => {
    const { rows } = await client.query<{ name: string; n: number }>(`
      SELECT kind AS name, count(*)::int AS n FROM work_log GROUP BY 1
      UNION ALL SELECT ring, count(*)::int FROM work_log GROUP BY 1`);
    const none = Object.fromEntries([...kinds, 'stable', 'edge'].map((name) => [name, 0]));
    return { ...none, ...Object.fromEntries(rows.map(({ name, n }) => [name, n])) } as Counts;
  };
  let counts = await count();
  for (let changedAt = performance.now(); findProblem(tenant, counts) && performance.now() - changedAt < stuckMs; ) {
    await delay(1_000);
    const next = await count();
    if (JSON.stringify(next) !== JSON.stringify(counts)) changedAt = performance.now();
    counts = next;
  }
  // A task that is done twice would be done by now.
  await delay(5_000);
  counts = await count();
  await client.end();
  return counts;
}
