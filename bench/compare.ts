import { resolve } from 'node:path';
import { figure, median, printTable } from './figures.ts';
import { load } from './load.ts';
import { type Platform, startPlatform } from './platform.ts';
import { cpuSeconds } from './process-figures.ts';
import { onStage, repository, type Stage } from './stage.ts';
import { type Write, writeFor, writes } from './writers.ts';

/* Is this checkout faster or slower than another? `node_modules/.bin/node bench/compare.ts <folder of the other checkout>` */

const [other] = process.argv.slice(2);
if (other === undefined) {
  console.error('usage: node bench/compare.ts <folder of another checkout with installed packages>');
  process.exit(2);
}

const tenant = 'bench';
const customers = Number(process.env.CUSTOMERS ?? 100_000);
const only = (process.env.ONLY ?? '').split(',');
const rounds = Number(process.env.ROUNDS ?? 7);
const seconds = 2;
const connections = 16;
/** For the JIT compiler. */
const warmUpRequests = 2_000;

const warmedUpUrls = new Set<string>();
/** Customer ids by port of the platform. */
const customerIdsByPort = new Map<number, string[]>();

interface Round {
  readonly perSecond: number;
  /** CPU time of the server per request. */
  readonly cpuMicros: number;
}
type Measurement = (platform: Platform) => Promise<Round>;

await onStage(async (stage) => {
  const ours = await prepare(stage, repository);
  const theirs = await prepare(stage, resolve(other));
  const rows: string[][] = [];
  for (const [name, measure] of await listMeasurements(stage, ours)) {
    if (!only.some((text) => name.includes(text))) continue;
    await Promise.all([ours.signIn(), theirs.signIn()]);
    const measured: [Round, Round][] = [];
    for (let round = 0; round <= rounds; round += 1) {
      // Alternating, and each side first equally often, so that other load on the machine affects both.
      const pair = round % 2 === 0 ? [ours, theirs] : [theirs, ours];
      const [first, second] = [await measure(pair[0] as Platform), await measure(pair[1] as Platform)];
      // The first round warms up.
      if (round > 0) measured.push(round % 2 === 0 ? [first, second] : [second, first]);
    }
    const row = formatRow(name, measured);
    rows.push(row);
    console.log(row.join('  '));
  }
  printTable(
    `This checkout and ${resolve(other)}, ${customers.toLocaleString('en')} customers: ${connections} clients, ${rounds} rounds of ${seconds} s each, alternating, medians`,
    ['', 'this', 'other', 'ratio', 'range', 'CPU'],
    rows,
  );
});

function formatRow(name: string, measured: readonly (readonly [Round, Round])[]): string[] {
  const ratios = measured.map(([ours, theirs]) => ours.perSecond / theirs.perSecond);
  const cpu = measured.map(([ours, theirs]) => theirs.cpuMicros / ours.cpuMicros);
  return [
    name,
    figure(median(measured.map(([{ perSecond }]) => perSecond)), '/s'),
    figure(median(measured.map(([, { perSecond }]) => perSecond)), '/s'),
    figure(median(ratios)),
    `${figure(Math.min(...ratios))} – ${figure(Math.max(...ratios))}`,
    figure(median(cpu)),
  ];
}

/** Starts a platform and fills a tenant with the same customers, orders, products and items on both sides. */
async function prepare(stage: Stage, checkout: string): Promise<Platform> {
  const storagePath = await stage.folder();
  const platform = await startPlatform(stage, { checkout, storagePath, environment: { SPARE_DATABASES: '0' } });
  await platform.post('/api/v1/bench/tenants', { id: tenant });
  await platform.post('/api/v1/bench/items', { rows: 10_000 }, platform.headers(tenant));
  const seed = ['demo:seed', `--tenant=${tenant}`, `--customers=${customers}`];
  await stage.start(resolve(checkout, 'chowkd'), seed, { STORAGE_PATH: storagePath }).output();
  // The newest: the demo data of other versions have other products.
  for (let n = 1; n <= 200; n += 1) {
    const product = { sku: `BENCH-${n}`, title: `Tea ${n}`, price: '49.50', status: 'active' };
    await platform.post('/api/v1/products', product, platform.headers(tenant));
  }
  return platform;
}

async function listMeasurements(stage: Stage, platform: Platform): Promise<[string, Measurement][]> {
  const page = await platform.get<{ customers: { id: string; first_name: string; email: string }[] }>(
    '/api/v1/customers?sort_by=total_spent',
    platform.headers(tenant),
  );
  const [{ first_name = '', email = '' } = {}] = page.customers;
  const q = (text: string) => encodeURIComponent(text);
  const reads: [string, string][] = [
    ['pipeline: no query', '/bench/nothing'],
    ['pipeline: one row by id', '/bench/items/5000'],
    ['pipeline: list of 20 in 10,000', '/bench/items?per_page=20'],
    ['GET /auth/me', '/auth/me'],
    ['products: list', '/products?page=1&per_page=20'],
    ['products: page 10', '/products?page=10&per_page=20'],
    ['customers: list by total_spent', '/customers?sort_by=total_spent&page=1&per_page=20'],
    ['customers: list, newest first', '/customers'],
    ['customers: list, VIPs', '/customers/vip'],
    ['customers: list with a filter', '/customers?min_orders=3&sort_by=last_order_at'],
    [`customers: search for ${first_name}`, `/customers/search?q=${q(first_name)}`],
    [`customers: search for ${email}`, `/customers/search?q=${q(email)}`],
    ['customers: segments', '/customers/segments'],
    ['orders: list', '/orders'],
    ['orders: list, shipped', '/orders?status=shipped'],
    ['conversations: list', '/conversations'],
  ];
  return [
    ...reads.map(([name, path]): [string, Measurement] => [
      name,
      (side) => measureReads(stage, side, `/api/v1${path}`),
    ]),
    [
      'customers: detail',
      async (side) => measureReads(stage, side, `/api/v1/customers/${await sampleCustomerId(side)}`),
    ],
    ...writes.map((write): [string, Measurement] => [write.name, (side) => measureWrites(side, write)]),
  ];
}

async function measureReads(stage: Stage, { pid, port, headers }: Platform, path: string): Promise<Round> {
  const url = `http://127.0.0.1:${port}${path}`;
  const send = (amount: { seconds: number } | { requests: number }) =>
    load(stage, { url, headers: headers(tenant), connections, amount });
  if (!warmedUpUrls.has(url)) await send({ requests: warmUpRequests });
  warmedUpUrls.add(url);
  const before = await cpuSeconds(pid);
  const { requests, perSecond } = await send({ seconds });
  return { perSecond, cpuMicros: (((await cpuSeconds(pid)) - before) * 1e6) / requests };
}

async function measureWrites(side: Platform, write: Write): Promise<Round> {
  const before = await cpuSeconds(side.pid);
  const { done, perSecond } = await writeFor(side, side.headers(tenant), await customerIds(side), write, seconds);
  return { perSecond, cpuMicros: (((await cpuSeconds(side.pid)) - before) * 1e6) / done };
}

async function customerIds(side: Platform): Promise<string[]> {
  const cached = customerIdsByPort.get(side.port);
  if (cached) return cached;
  const pages = Array.from({ length: 20 }, (_, page) => `/api/v1/customers?per_page=100&page=${1 + page * 10}`);
  const bodies = await Promise.all(
    pages.map((path) => side.get<{ customers: { id: string }[] }>(path, side.headers(tenant))),
  );
  const ids = bodies.flatMap((body) => body.customers.map(({ id }) => id));
  customerIdsByPort.set(side.port, ids);
  return ids;
}

async function sampleCustomerId(side: Platform): Promise<string> {
  return (await customerIds(side))[7] as string;
}
