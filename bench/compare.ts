import { resolve } from 'node:path';
import { figure, median, printTable } from './figures.ts';
import { load } from './load.ts';
import { type Platform, startPlatform } from './platform.ts';
import { cpuSeconds } from './process-figures.ts';
import { onStage, repository, type Stage } from './stage.ts';
import { type Write, writeFor, writes } from './writers.ts';

/* Is this checkout faster or slower than another one? `node bench/compare.ts <folder of the other>` */

const [other] = process.argv.slice(2);
if (other === undefined) {
  console.error('usage: node bench/compare.ts <folder of another checkout, with its packages installed>');
  process.exit(2);
}

const tenant = 'bench';
const customers = Number(process.env.CUSTOMERS ?? 100_000);
const only = process.env.ONLY ?? '';
const rounds = Number(process.env.ROUNDS ?? 7);
const seconds = 2;
const connections = 16;
/** Before that many requests the JIT compiler is still at work. */
const warmUp = 8_000;

/** What has been asked before. */
const warm = new Set<string>();
/** Customers of each platform, by its port. */
const idsOf = new Map<number, string[]>();

interface Round {
  readonly perSecond: number;
  /** Processor time of the server for one request. */
  readonly micros: number;
}
type Measure = (platform: Platform) => Promise<Round>;

await onStage(async (stage) => {
  const ours = await prepare(stage, repository);
  const theirs = await prepare(stage, resolve(other));
  const rows: string[][] = [];
  for (const [name, measure] of await questions(stage, ours)) {
    if (!name.includes(only)) continue;
    const measured: [Round, Round][] = [];
    for (let round = 0; round <= rounds; round += 1) {
      // In turn, and each first as often as the other, so that whatever else the machine does falls on both.
      const pair = round % 2 === 0 ? [ours, theirs] : [theirs, ours];
      const [one, two] = [await measure(pair[0] as Platform), await measure(pair[1] as Platform)];
      // The first round warms up.
      if (round > 0) measured.push(round % 2 === 0 ? [one, two] : [two, one]);
    }
    const row = rowOf(name, measured);
    rows.push(row);
    console.log(row.join('  '));
  }
  printTable(
    `This checkout beside ${resolve(other)}, ${customers.toLocaleString('en')} customers: ${connections} clients, ${rounds} rounds of ${seconds} s in turn, medians`,
    ['', 'this', 'other', 'ratio', 'of the rounds', 'CPU'],
    rows,
  );
});

function rowOf(name: string, measured: readonly (readonly [Round, Round])[]): string[] {
  const ratios = measured.map(([mine, their]) => mine.perSecond / their.perSecond);
  const cpu = measured.map(([mine, their]) => their.micros / mine.micros);
  return [
    name,
    figure(median(measured.map(([{ perSecond }]) => perSecond)), '/s'),
    figure(median(measured.map(([, { perSecond }]) => perSecond)), '/s'),
    figure(median(ratios)),
    `${figure(Math.min(...ratios))} – ${figure(Math.max(...ratios))}`,
    figure(median(cpu)),
  ];
}

/** A platform with a tenant that has the same customers, orders, products and items as the other's. */
async function prepare(stage: Stage, checkout: string): Promise<Platform> {
  const storagePath = await stage.folder();
  const platform = await startPlatform(stage, { checkout, storagePath, environment: { SPARE_DATABASES: '0' } });
  await platform.post('/api/v1/bench/tenants', { id: tenant });
  await platform.post('/api/v1/bench/items', { rows: 10_000 }, platform.headers(tenant));
  const seed = ['demo:seed', `--tenant=${tenant}`, `--customers=${customers}`];
  await stage.start(resolve(checkout, 'chowkd'), seed, { STORAGE_PATH: storagePath }).output();
  return platform;
}

async function questions(stage: Stage, platform: Platform): Promise<[string, Measure][]> {
  const first = await platform.get<{ customers: { id: string; first_name: string; email: string }[] }>(
    '/api/v1/customers?sort_by=total_spent',
    platform.headers(tenant),
  );
  const [{ first_name = '', email = '' } = {}] = first.customers;
  const q = (text: string) => encodeURIComponent(text);
  const reads: [string, string][] = [
    ['pipeline: no query', '/bench/nothing'],
    ['pipeline: one row by id', '/bench/items/5000'],
    ['pipeline: list of 20 in 10,000', '/bench/items?per_page=20'],
    ['me', '/auth/me'],
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
    ...reads.map(([name, path]): [string, Measure] => [name, (side) => press(stage, side, `/api/v1${path}`)]),
    ['customers: detail', async (side) => press(stage, side, `/api/v1/customers/${await someCustomer(side)}`)],
    ...writes.map((write): [string, Measure] => [write.name, (side) => pressWrites(side, write)]),
  ];
}

async function press(stage: Stage, { pid, port, headers }: Platform, path: string): Promise<Round> {
  const url = `http://127.0.0.1:${port}${path}`;
  const send = (amount: { seconds: number } | { requests: number }) =>
    load(stage, { url, headers: headers(tenant), connections, amount });
  if (!warm.has(url)) await send({ requests: warmUp / 4 });
  warm.add(url);
  const before = await cpuSeconds(pid);
  const { requests, perSecond } = await send({ seconds });
  return { perSecond, micros: (((await cpuSeconds(pid)) - before) * 1e6) / requests };
}

async function pressWrites(side: Platform, write: Write): Promise<Round> {
  const before = await cpuSeconds(side.pid);
  const { done, perSecond } = await writeFor(side, side.headers(tenant), await customerIds(side), write, seconds);
  return { perSecond, micros: (((await cpuSeconds(side.pid)) - before) * 1e6) / done };
}

async function customerIds(side: Platform): Promise<string[]> {
  const known = idsOf.get(side.port);
  if (known) return known;
  const pages = Array.from({ length: 20 }, (_, page) => `/api/v1/customers?per_page=100&page=${1 + page * 10}`);
  const answers = await Promise.all(
    pages.map((path) => side.get<{ customers: { id: string }[] }>(path, side.headers(tenant))),
  );
  const ids = answers.flatMap((answer) => answer.customers.map(({ id }) => id));
  idsOf.set(side.port, ids);
  return ids;
}

async function someCustomer(side: Platform): Promise<string> {
  return (await customerIds(side))[7] as string;
}
