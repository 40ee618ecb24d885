import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { figure, printTable } from './figures.ts';
import { waitUntilHealthy } from './health.ts';
import { inParallel, startPlatform } from './platform.ts';
import { listChildren, readMemory } from './process-figures.ts';
import { freePort, onStage, readPostmasterPid, repository, type Stage } from './stage.ts';

/* How much memory does the platform use when idle, and how much more for each cached tenant? */

const tenants = 10_000;
const idleMs = 5_000;

interface MemoryReport extends NodeJS.MemoryUsage {
  readonly known: number;
}

await onStage(async (stage) => {
  const rows = await measureIdle(stage);
  printTable(
    `Idle, ${idleMs / 1_000} s after the first start of ./chowkd serve`,
    ['', 'resident', 'PSS', 'private'],
    rows,
  );
  const heap = figure(await measureHeapGrowth(stage), 'MB');
  printTable(
    'Growth per 1,000 tenants in the directory cache',
    ['', 'growth'],
    [['heap after garbage collection', heap]],
  );
});

async function measureIdle(stage: Stage): Promise<string[][]> {
  const storagePath = await stage.folder();
  const port = await freePort();
  const running = stage.start(join(repository, 'chowkd'), ['serve'], {
    APP_ENV: 'production',
    HOST: '127.0.0.1',
    PORT: `${port}`,
    STORAGE_PATH: storagePath,
    LOG_LEVEL: 'warn',
  });
  await waitUntilHealthy(port);
  await delay(idleMs);
  // The script chowkd replaces itself with Node.
  const server = await readMemory(running.pid);
  const postmaster = await readPostmasterPid(storagePath);
  const backends = await Promise.all([postmaster, ...(await listChildren(postmaster))].map(readMemory));
  await running.stop();
  const sum = (field: 'rss' | 'pss' | 'own') => backends.reduce((total, backend) => total + backend[field], 0);
  return [
    ['Node', figure(server.rss, 'MB'), figure(server.pss, 'MB'), figure(server.own, 'MB')],
    // Resident memory would count the shared buffers once for each process.
    [`PostgreSQL, ${backends.length} processes`, '', figure(sum('pss'), 'MB'), figure(sum('own'), 'MB')],
  ];
}

/** Megabytes of heap per 1,000 tenants. Resident memory would mostly show the garbage of the requests. */
async function measureHeapGrowth(stage: Stage): Promise<number> {
  const storagePath = await stage.folder();
  const platform = await startPlatform(stage, { storagePath, unsafe: true, flags: ['--expose-gc'] });
  const central = new pg.Client({ ...platform.database, database: platform.central });
  await central.connect();
  stage.atEnd(() => central.end());
  // Only the rows that the directory reads; these tenants have no databases.
  await central.query(`INSERT INTO tenants (id, name, status, database_name, module_ring_id)
    SELECT 'tenant-' || n, 'Tenant number ' || n, 'active', 'tenanttenant-' || n, (SELECT min(id) FROM module_rings)
    FROM generate_series(1, ${tenants}) n`);
  await central.query("INSERT INTO domains (domain, tenant_id, kind) SELECT id, id, 'random' FROM tenants");
  const requestEach = (ids: readonly string[]) =>
    inParallel(ids, 16, (id) => platform.get('/api/v1/bench/tenant', { 'x-tenant': id }));
  // The same number of requests to one tenant first, so that compiled code and buffers do not count as growth.
  await requestEach(Array.from({ length: tenants }, () => 'tenant-1'));
  const before = await platform.get<MemoryReport>('/api/v1/bench/memory');
  await requestEach(Array.from({ length: tenants }, (_, index) => `tenant-${index + 1}`));
  const after = await platform.get<MemoryReport>('/api/v1/bench/memory');
  const thousands = (after.known - before.known) / 1_000;
  if (after.known < tenants) throw new Error(`the directory holds ${after.known} of ${tenants} tenants`);
  return (after.heapUsed - before.heapUsed) / 2 ** 20 / thousands;
}
