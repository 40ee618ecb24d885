import { deepStrictEqual } from 'node:assert';
import { join } from 'node:path';
import pg from 'pg';
import { compareWriters } from './customers-writers.ts';
import { figure, median, printTable } from './figures.ts';
import { load } from './load.ts';
import { type Platform, startPlatform } from './platform.ts';
import { memoryOf } from './process-figures.ts';
import { node, onStage, repository, type Stage } from './stage.ts';

/* What do the list, the search, the segments and the export of customers cost, among 100,000 and among a million? */

const tenant = 'bench';
const sizes = (process.env.CUSTOMERS ?? '100000,1000000').split(',').map(Number);
/** Where somebody has seeded the tenant before, to measure once more. */
const seeded = process.env.SEEDED_STORAGE_PATH;
const rounds = 5;

interface Patience {
  readonly connections: number;
  readonly seconds: number;
}
const usual: Patience = { connections: 16, seconds: 2 };
/** Beside what takes a second for one answer. */
const slow: Patience = { connections: 4, seconds: 6 };

interface Side {
  readonly port: number;
  readonly path: string;
}

await onStage(async (stage) => {
  for (const size of sizes) await measure(stage, size);
});

async function measure(stage: Stage, size: number): Promise<void> {
  const storagePath = seeded ?? (await stage.folder());
  const platform = await startPlatform(stage, { storagePath, environment: { SPARE_DATABASES: '0' } });
  const database = `tenant${tenant}`;
  const began = performance.now();
  if (seeded === undefined) {
    await platform.post('/api/v1/bench/tenants', { id: tenant });
    const seed = ['demo:seed', `--tenant=${tenant}`, `--customers=${size}`];
    await stage.start(join(repository, 'chowkd'), seed, { STORAGE_PATH: storagePath }).output();
  }
  const seeding = (performance.now() - began) / 1_000;
  const client = new pg.Client({ ...platform.database, database });
  // A measurement that fails is cleared up with the server first; what failed is what matters.
  client.on('error', () => {});
  await client.connect();
  await client.query('VACUUM ANALYZE');
  // First of all: what a server has grown by in a storm of requests is not what an export needs.
  const growth = await exportGrowth(platform);
  const bare = await startBare(stage, { ...platform.database, database });
  await compare(stage, size, platform, bare.port, await findTerms(client));
  printTable(
    `${size.toLocaleString('en')} customers`,
    ['', 'measured', 'aim'],
    [
      ['demo:seed', figure(seeding, 's'), ''],
      ['export of all as CSV: growth in memory', figure(growth, 'MB'), '< 100 MB'],
      ['tags for 1,000 customers', await bulkTags(platform, client), 'one statement'],
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

/** A first name that very many have, and the name in the address of one. */
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
  const found = (q: string) => theirs(`/bare/search?q=${encodeURIComponent(q)}`);
  const naive = list(1).replace('/api/v1', '/naive');
  for (const page of [1, 1_000]) {
    deepStrictEqual(await fetchJson(ours(list(page)), headers(tenant)), await fetchJson(theirs(list(page)), {}));
  }
  await mustCountAlike(ours('/api/v1/customers/segments'), headers(tenant), theirs('/naive/segments'));
  const questions: [name: string, Side, Side, aim: string, patience?: Patience][] = [
    ['list by total_spent, beside the same by hand', ours(list(1)), theirs(list(1)), '≥ 0.8'],
    ['the same, beside counting each time', ours(list(1)), theirs(naive), '≥ 4', slow],
    ['page 1,000, beside page 1', ours(list(1_000)), ours(list(1)), '≥ 0.5'],
    [
      `search for ${terms.common}, beside the bare SQL`,
      ours(`/api/v1/${search(terms.common)}`),
      found(terms.common),
      '≥ 0.5',
    ],
    [
      `search for ${terms.rare}, beside the bare SQL`,
      ours(`/api/v1/${search(terms.rare)}`),
      found(terms.rare),
      '≥ 0.5',
    ],
    ['segments, beside the aggregate', ours('/api/v1/customers/segments'), theirs('/naive/segments'), '≥ 50', slow],
  ];
  const rows: string[][] = [];
  for (const [name, one, other, aim, patience = usual] of questions) {
    const measured: [number, number][] = [];
    for (const side of [one, other]) await press(stage, side, headers(tenant), patience);
    for (let round = 0; round < rounds; round += 1) {
      // In turn, so that whatever else the machine does falls on both.
      const mine = await press(stage, one, headers(tenant), patience);
      measured.push([mine, await press(stage, other, headers(tenant), patience)]);
    }
    const ratios = measured.map(([mine, other]) => mine / other);
    rows.push([
      name,
      figure(median(measured.map(([mine]) => mine)), '/s'),
      figure(median(measured.map(([, other]) => other)), '/s'),
      figure(median(ratios)),
      `${figure(Math.min(...ratios))} – ${figure(Math.max(...ratios))}`,
      aim,
    ]);
  }
  printTable(
    `Among ${size.toLocaleString('en')} customers: ${usual.connections} clients, ${rounds} rounds of ${usual.seconds} s in turn (beside what counts, ${slow.connections} and ${slow.seconds} s), medians`,
    ['', 'Chowk', 'beside', 'ratio', 'of the rounds', 'aim'],
    rows,
  );
}

async function press(
  stage: Stage,
  { port, path }: Side,
  headers: Record<string, string>,
  { connections, seconds }: Patience,
): Promise<number> {
  const url = `http://127.0.0.1:${port}${path}`;
  return (await load(stage, { url, headers, connections, amount: { seconds } })).perSecond;
}

// biome-ignore lint/suspicious/noExplicitAny: answers of several shapes
async function fetchJson({ port, path }: Side, headers: Record<string, string>): Promise<any> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

async function mustCountAlike(ours: Side, headers: Record<string, string>, theirs: Side): Promise<void> {
  const { segments } = await fetchJson(ours, headers);
  const counts = Object.fromEntries(segments.map(({ key, count }: { key: string; count: number }) => [key, count]));
  deepStrictEqual(counts, await fetchJson(theirs, {}));
}

/** Megabytes by which the server grows at most while everything is read. */
async function exportGrowth({ pid, port, headers }: Platform): Promise<number> {
  const url = `http://127.0.0.1:${port}/api/v1/customers`;
  for (let round = 0; round < 300; round += 1) await (await fetch(url, { headers: headers(tenant) })).arrayBuffer();
  const { rss: before } = await memoryOf(pid);
  let most = before;
  const answer = await fetch(`${url}/export`, { headers: headers(tenant) });
  const watch = setInterval(async () => {
    most = Math.max(most, (await memoryOf(pid)).rss);
  }, 50);
  for await (const _ of answer.body as AsyncIterable<Uint8Array>);
  clearInterval(watch);
  return most - before;
}

async function bulkTags({ port, headers }: Platform, client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ id: string }>('SELECT id FROM customers ORDER BY random() LIMIT 1000');
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now();
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/customers/bulk/tags`, {
      method: 'POST',
      headers: { ...headers(tenant), 'content-type': 'application/json' },
      body: JSON.stringify({ customer_ids: rows.map(({ id }) => id), tags: [`round ${round}`] }),
    });
    const { updated } = (await answer.json()) as { updated: number };
    if (updated !== rows.length) throw new Error(`${updated} of ${rows.length} customers got their tag`);
    times.push(performance.now() - began);
  }
  return figure(median(times), 'ms');
}
