import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { figure, printTable } from './figures.ts';
import { awaitHealth } from './health.ts';
import { inParallel, startPlatform } from './platform.ts';
import { childrenOf, memoryOf } from './process-figures.ts';
import { freePort, onStage, postmasterOf, repository, type Stage } from './stage.ts';

/* What does the platform hold in memory at rest, and how much more with every tenant it knows? */

const tenants = 10_000;
const restMs = 5_000;

interface Held extends NodeJS.MemoryUsage {
  readonly known: number;
}

await onStage(async (stage) => {
  const rows = await atRest(stage);
  printTable(
    `At rest, ${restMs / 1_000} s after the first start of ./chowkd serve`,
    ['', 'resident', 'PSS', 'private'],
    rows,
  );
  const heap = figure(await growth(stage), 'MB');
  printTable(
    'With every 1,000 tenants that the directory knows',
    ['', 'more'],
    [['heap after garbage collection', heap]],
  );
});

async function atRest(stage: Stage): Promise<string[][]> {
  const storagePath = await stage.folder();
  const port = await freePort();
  const running = stage.start(join(repository, 'chowkd'), ['serve'], {
    APP_ENV: 'production',
    HOST: '127.0.0.1',
    PORT: `${port}`,
    STORAGE_PATH: storagePath,
    LOG_LEVEL: 'warn',
  });
  await awaitHealth(port);
  await pause(restMs);
  // chowkd has replaced itself by Node.
  const server = await memoryOf(running.pid);
  const postmaster = await postmasterOf(storagePath);
  const backends = await Promise.all([postmaster, ...(await childrenOf(postmaster))].map(memoryOf));
  await running.stop();
  const sum = (field: 'rss' | 'pss' | 'own') => backends.reduce((total, one) => total + one[field], 0);
  return [
    ['Node', figure(server.rss, 'MB'), figure(server.pss, 'MB'), figure(server.own, 'MB')],
    // Resident would count the shared buffers once for each process.
    [`PostgreSQL, ${backends.length} processes`, '', figure(sum('pss'), 'MB'), figure(sum('own'), 'MB')],
  ];
}

/** Megabytes of heap. The resident memory says nothing here: the garbage of so many requests is much more. */
async function growth(stage: Stage): Promise<number> {
  const storagePath = await stage.folder();
  const platform = await startPlatform(stage, { storagePath, unsafe: true, flags: ['--expose-gc'] });
  const central = new pg.Client({ ...platform.database, database: platform.central });
  await central.connect();
  stage.atEnd(() => central.end());
  // Only what the directory reads: these tenants have no databases, and nobody asks for one.
  await central.query(`INSERT INTO tenants (id, name, status, database_name, module_ring_id)
    SELECT 'tenant-' || n, 'Tenant number ' || n, 'active', 'tenanttenant-' || n, (SELECT min(id) FROM module_rings)
    FROM generate_series(1, ${tenants}) n`);
  await central.query("INSERT INTO domains (domain, tenant_id, kind) SELECT id, id, 'random' FROM tenants");
  const visit = (ids: readonly string[]) =>
    inParallel(ids, 16, (id) => platform.get('/api/v1/bench/tenant', { 'x-tenant': id }));
  // The same requests to one tenant first: code is compiled and buffers are taken before, not in between.
  await visit(Array.from({ length: tenants }, () => 'tenant-1'));
  const before = await platform.get<Held>('/api/v1/bench/memory');
  await visit(Array.from({ length: tenants }, (_, index) => `tenant-${index + 1}`));
  const after = await platform.get<Held>('/api/v1/bench/memory');
  const thousands = (after.known - before.known) / 1_000;
  if (after.known < tenants) throw new Error(`the directory knows ${after.known} of ${tenants} tenants`);
  return (after.heapUsed - before.heapUsed) / 2 ** 20 / thousands;
}
