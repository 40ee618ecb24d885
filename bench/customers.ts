import { deepStrictEqual } from 'node:assert';
import { join } from 'node:path';
import pg from 'pg';
import { compareWriters } from './customers-writers.ts';
import { figure, median, printTable } from './figures.ts';
import { load as sendLoad } from './load.ts';
import { type Platform, startPlatform } from './platform.ts';
import { readMemory } from './process-figures.ts';
import { node, onStage, repository, type Stage } from './stage.ts';

/* What do list, search, segments and export cost with 100,000 and with 1,000,000 customers? */

const tenant = 'bench';
const sizes = (process.env.CUSTOMERS ?? '100000,1000000').split(',').map(Number);
/** A storage folder with a tenant seeded by an earlier run. */
const seededStoragePath = process.env.SEEDED_STORAGE_PATH;
const rounds = 5;

interface Load {
  readonly connections: number;
  readonly seconds: number;
}
const defaultLoad: Load = { connections: 16, seconds: 2 };
/** For requests that take about a second each. */
const slowLoad: Load = { connections: 4, seconds: 6 };

interface Side {
  readonly port: number;
  readonly path: string;
}

await onStage(async (stage) => {
  for (const size of sizes) await measure(stage, size);
});

async function measure(stage: Stage, size: number): Promise<void> {
  const storagePath = seededStoragePath ?? (await stage.folder());
  const platform = await startPlatform(stage, { storagePath, environment: { SPARE_DATABASES: '0' } });
  const database = `tenant${tenant}`;
  const startedAt = performance.now();
  if (seededStoragePath === undefined) {
    await platform.post('/api/v1/bench/tenants', { id: tenant });
    const seed = ['demo:seed', `--tenant=${tenant}`, `--customers=${size}`];
    await stage.start(join(repository, 'chowkd'), seed, { STORAGE_PATH: storagePath }).output();
  }
  const seeding = (performance.now() - startedAt) / 1_000;
  const client = new pg.Client({ ...platform.database, database });
  // After a failure the server stops before this client: its error would hide the first one.
  client.on('error', () => {});
  await client.connect();
  await client.query('VACUUM ANALYZE');
  // Before the load tests, which increase the memory of the server.
  const growth = await measureExportGrowth(platform);
  const bare = await startBare(stage, { ...platform.database, database });
  await compare(stage, size, platform, bare.port, await findTerms(client));
  printTable(
    `${size.toLocaleString('en')} customers`,
    ['', 'measured', 'target'],
    [
      ['demo:seed', figure(seeding, 's'), ''],
      ['export of all as CSV: memory growth', figure(growth, 'MB'), '< 100 MB'],
      ['tags for 1,000 customers', await measureBulkTags(platform, client), 'one statement'],
    ],
  );
  await bare.stop();
  await compareWriters(platform, client, platform.headers(tenant), size);
  await client.end();
  await platform.stop();
}

async function startBare(stage: Stage, database: object) {
  const running = stage.start(node, [join(repository, 'bench/bare-customers.ts')], {
    NODE_ENV: 'production',
    DATABASE: JSON.stringify(database),
    CONNECTIONS: '10',
  });
  return { ...(JSON.parse(await running.firstLine()) as { port: number }), stop: running.stop };
}

/** The most frequent first name, and the local part of one email address. */
async function findTerms(client: pg.Client): Promise<{ common: string; rare: string }> {
  const { rows } = await client.query<{ common: string; rare: string }>(`
    SELECT (SELECT first_name FROM customers GROUP BY 1 ORDER BY count(*) DESC LIMIT 1) AS common,
      (SELECT split_part(email, '@', 1) FROM customers WHERE email IS NOT NULL ORDER BY id LIMIT 1) AS rare`);
  return rows[0] as { common: string; rare: string };
}

async function compare(
  stage: Stage,
  size: number,
  { port, headers }: Platform,
  barePort: number,
  terms: { common: string; rare: string },
): Promise<void> {
  const list = (page: number) => `/api/v1/customers?sort_by=total_spent&page=${page}&per_page=20`;
  const search = (q: string) => `customers/search?q=${encodeURIComponent(q)}&limit=20`;
  const ours = (path: string): Side => ({ port, path });
  const theirs = (path: string): Side => ({ port: barePort, path });
  const bareSearch = (q: string) => theirs(`/bare/search?q=${encodeURIComponent(q)}`);
  const naive = list(1).replace('/api/v1', '/naive');
  for (const page of [1, 1_000]) {
    deepStrictEqual(await fetchJson(ours(list(page)), headers(tenant)), await fetchJson(theirs(list(page)), {}));
  }
  await assertSameCounts(ours('/api/v1/customers/segments'), headers(tenant), theirs('/naive/segments'));
  const comparisons: [name: string, Side, Side, target: string, load?: Load][] = [
    ['list by total_spent / handwritten query', ours(list(1)), theirs(list(1)), '≥ 0.8'],
    ['list by total_spent / count on each request', ours(list(1)), theirs(naive), '≥ 4', slowLoad],
    ['page 1,000 / page 1', ours(list(1_000)), ours(list(1)), '≥ 0.5'],
    [
      `search for ${terms.common} / SQL alone`,
      ours(`/api/v1/${search(terms.common)}`),
      bareSearch(terms.common),
      '≥ 0.5',
    ],
    [`search for ${terms.rare} / SQL alone`, ours(`/api/v1/${search(terms.rare)}`), bareSearch(terms.rare), '≥ 0.5'],
    ['segments / aggregate query', ours('/api/v1/customers/segments'), theirs('/naive/segments'), '≥ 50', slowLoad],
  ];
  const rows: string[][] = [];
  for (const [name, subject, baseline, target, load = defaultLoad] of comparisons) {
    const measured: [number, number][] = [];
    for (const side of [subject, baseline]) await measureReads(stage, side, headers(tenant), load);
    for (let round = 0; round < rounds; round += 1) {
      // Alternating, so that other load on the machine affects both.
      const perSecond = await measureReads(stage, subject, headers(tenant), load);
      measured.push([perSecond, await measureReads(stage, baseline, headers(tenant), load)]);
    }
    const ratios = measured.map(([ours, theirs]) => ours / theirs);
    rows.push([
      name,
      figure(median(measured.map(([ours]) => ours)), '/s'),
      figure(median(measured.map(([, theirs]) => theirs)), '/s'),
      figure(median(ratios)),
      `${figure(Math.min(...ratios))} – ${figure(Math.max(...ratios))}`,
      target,
    ]);
  }
  printTable(
    `${size.toLocaleString('en')} customers: ${defaultLoad.connections} clients, ${rounds} rounds of ${defaultLoad.seconds} s each, alternating (slow baselines: ${slowLoad.connections} clients, ${slowLoad.seconds} s), medians`,
    ['', 'Chowk', 'baseline', 'ratio', 'range', 'target'],
    rows,
  );
}

async function measureReads(
  stage: Stage,
  { port, path }: Side,
  headers: Record<string, string>,
  { connections, seconds }: Load,
): Promise<number> {
  const url = `http://127.0.0.1:${port}${path}`;
  return (await sendLoad(stage, { url, headers, connections, amount: { seconds } })).perSecond;
}

// biome-ignore lint/suspicious/noExplicitAny: responses of several shapes
async function fetchJson({ port, path }: Side, headers: Record<string, string>): Promise<any> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

async function assertSameCounts(ours: Side, headers: Record<string, string>, theirs: Side): Promise<void> {
  const { segments } = await fetchJson(ours, headers);
  const counts = Object.fromEntries(segments.map(({ key, count }: { key: string; count: number }) => [key, count]));
  deepStrictEqual(counts, await fetchJson(theirs, {}));
}

/** Maximum growth of the server's memory during an export, in megabytes. */
async function measureExportGrowth({ pid, port, headers }: Platform): Promise<number> {
  const url = `http://127.0.0.1:${port}/api/v1/customers`;
  for (let round = 0; round < 300; round += 1) await (await fetch(url, { headers: headers(tenant) })).arrayBuffer();
  const { rss: before } = await readMemory(pid);
  let max = before;
  const response = await fetch(`${url}/export`, { headers: headers(tenant) });
  const watch = setInterval(async () => {
    max = Math.max(max, (await readMemory(pid)).rss);
  }, 50);
  for await (const _ of response.body as AsyncIterable<Uint8Array>);
  clearInterval(watch);
  return max - before;
}

async function measureBulkTags({ port, headers }: Platform, client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ id: string }>('SELECT id FROM customers ORDER BY random() LIMIT 1000');
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const startedAt = performance.now();
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/customers/bulk/tags`, {
      method: 'POST',
      headers: { ...headers(tenant), 'content-type': 'application/json' },
      body: JSON.stringify({ customer_ids: rows.map(({ id }) => id), tags: [`round ${round}`] }),
    });
    const { updated } = (await response.json()) as { updated: number };
    if (updated !== rows.length) throw new Error(`tagged ${updated} of ${rows.length} customers`);
    times.push(performance.now() - startedAt);
  }
  return figure(median(times), 'ms');
}
