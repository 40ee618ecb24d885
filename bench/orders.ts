import { Agent, request as httpRequest } from 'node:http';
import { resolve } from 'node:path';
import { figure, median, printTable } from './figures.ts';
import { inParallel, type Platform, startPlatform } from './platform.ts';
import { cpuSeconds } from './process-figures.ts';
import { onStage, repository, type Stage } from './stage.ts';

/*
 * How many orders a second can be placed in one tenant? With the folder of another checkout, both are measured in turn; each
 * kind of order is compared with orders of free text there.
 */

const tenant = 'bench';
const customers = Number(process.env.CUSTOMERS ?? 20_000);
const rounds = Number(process.env.ROUNDS ?? 5);
const seconds = Number(process.env.SECONDS ?? 3);
const connectionCounts = (process.env.CONNECTIONS ?? '1,16,64').split(',').map(Number);
const [other] = process.argv.slice(2);
const productCount = 200;
const codeCount = 50;

interface Shop {
  readonly platform: Platform;
  readonly customerIds: readonly string[];
}
type BuildOrder = (customerId: string) => object;

const random = (count: number) => Math.floor(Math.random() * count);

const freeText: BuildOrder = (id) => ({ customer: { id }, items: [{ name: 'Tea', quantity: 2, price: '49.50' }] });

/** Two variants with stock and two taxes, a discount code and a payment. */
const fromCatalog: BuildOrder = (id) => ({
  customer: { id },
  items: [
    { sku: `BENCH-${random(productCount)}`, quantity: 2 },
    { sku: `BENCH-${random(productCount)}`, quantity: 1 },
  ],
  discount_codes: [`BENCH${random(codeCount)}`],
  shipping_address: { address1: '1 MG Road', city: 'Pune', state: 'MH', country: 'IN', pincode: '411001' },
  payments: [{ method: 'card' }],
});

await onStage(async (stage) => {
  const ours = await prepare(stage, repository);
  await addCatalog(ours.platform);
  const theirs = other === undefined ? undefined : await prepare(stage, resolve(other));
  const rows: string[][] = [];
  for (const connections of connectionCounts) {
    const measured: Measured[] = [];
    // The first round warms up.
    for (let round = 0; round <= rounds; round += 1) {
      await Promise.all([ours.platform.signIn(), theirs?.platform.signIn()]);
      const result = await measureRound({ ours, theirs }, connections, round);
      if (round > 0) measured.push(result);
    }
    rows.push(formatRow('free text', connections, measured, 'freeText'));
    rows.push(formatRow('variants, taxes, discount, stock, payment', connections, measured, 'fromCatalog'));
  }
  const from = other === undefined ? '' : `, compared with free text in ${resolve(other)}`;
  printTable(
    `Orders placed in one tenant with ${customers.toLocaleString('en')} customers${from}: ${rounds} rounds of ${seconds} s, in turn, medians`,
    ['', 'connections', 'this', 'other', 'ratio', 'range', 'CPU'],
    rows,
  );
});

interface Round {
  readonly perSecond: number;
  /** CPU time of the server per order. */
  readonly cpuMicros: number;
}
interface Measured {
  readonly freeText: Round;
  readonly fromCatalog: Round;
  readonly theirs: Round | undefined;
}

/** Each first equally often, so that other load on the machine affects all. */
async function measureRound(shops: { ours: Shop; theirs: Shop | undefined }, connections: number, round: number) {
  const { ours, theirs } = shops;
  const results: { -readonly [Kind in keyof Measured]?: Round | undefined } = {};
  const steps = [
    async () => (results.freeText = await place(ours, freeText, connections)),
    async () => (results.theirs = theirs && (await place(theirs, freeText, connections))),
    async () => (results.fromCatalog = await place(ours, fromCatalog, connections)),
  ];
  for (const step of round % 2 === 0 ? steps : steps.toReversed()) await step();
  return results as Measured;
}

function formatRow(
  name: string,
  connections: number,
  measured: readonly Measured[],
  kind: 'freeText' | 'fromCatalog',
): string[] {
  const theirs = measured.flatMap((round) => round.theirs ?? []);
  const row = [name, `${connections}`, figure(median(measured.map((round) => round[kind].perSecond)), '/s')];
  if (theirs.length === 0) return [...row, '', '', '', ''];
  const ratios = measured.map((round) => round[kind].perSecond / (round.theirs as Round).perSecond);
  const cpu = measured.map((round) => (round.theirs as Round).cpuMicros / round[kind].cpuMicros);
  return [
    ...row,
    figure(median(theirs.map(({ perSecond }) => perSecond)), '/s'),
    figure(median(ratios)),
    `${figure(Math.min(...ratios))} – ${figure(Math.max(...ratios))}`,
    figure(median(cpu)),
  ];
}

async function prepare(stage: Stage, checkout: string): Promise<Shop> {
  const storagePath = await stage.folder();
  const platform = await startPlatform(stage, { checkout, storagePath, environment: { SPARE_DATABASES: '0' } });
  await platform.post('/api/v1/bench/tenants', { id: tenant });
  const seed = ['demo:seed', `--tenant=${tenant}`, `--customers=${customers}`];
  await stage.start(resolve(checkout, 'chowkd'), seed, { STORAGE_PATH: storagePath }).output();
  const pages = Array.from({ length: 20 }, (_, page) => `/api/v1/customers?per_page=100&page=${1 + page * 5}`);
  const bodies = await Promise.all(
    pages.map((path) => platform.get<{ customers: { id: string }[] }>(path, platform.headers(tenant))),
  );
  return { platform, customerIds: bodies.flatMap((body) => body.customers.map(({ id }) => id)) };
}

/** The demo data has the taxes. */
async function addCatalog({ port, headers }: Platform): Promise<void> {
  const create = (path: string, body: object) => send(new Agent(), port, headers(tenant), path, body);
  const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);
  await inParallel(numbers(productCount), 8, (n) =>
    create('/products', { sku: `BENCH-${n}`, title: `Tea ${n}`, price: '49.50', stock: 1_000_000, status: 'active' }),
  );
  await inParallel(numbers(codeCount), 8, (n) =>
    create('/discounts', { code: `BENCH${n}`, kind: 'percent', value: '10', usage_limit: 1_000_000 }),
  );
}

/** Places orders for `seconds`, each for a random customer, over connections that stay open. */
async function place({ platform, customerIds }: Shop, build: BuildOrder, connections: number): Promise<Round> {
  const { port, pid, headers } = platform;
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const cpuBefore = await cpuSeconds(pid);
  const startedAt = performance.now();
  let placed = 0;
  const work = async () => {
    while (performance.now() < startedAt + seconds * 1_000) {
      const id = customerIds[random(customerIds.length)] as string;
      await send(agent, port, headers(tenant), '/orders', build(id));
      placed += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
  const perSecond = (placed * 1_000) / (performance.now() - startedAt);
  agent.destroy();
  return { perSecond, cpuMicros: (((await cpuSeconds(pid)) - cpuBefore) * 1e6) / placed };
}

/** As little work as possible for the client, which shares the machine with the server. Throws unless the answer is 201. */
function send(agent: Agent, port: number, headers: Record<string, string>, path: string, body: object): Promise<void> {
  const text = JSON.stringify(body);
  const length = Buffer.byteLength(text);
  return new Promise((done, fail) => {
    const options = { host: '127.0.0.1', port, agent, method: 'POST', path: `/api/v1${path}` };
    const json = { ...headers, 'content-type': 'application/json', 'content-length': length };
    const outgoing = httpRequest({ ...options, headers: json }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', fail);
      response.on('end', () => {
        if (response.statusCode === 201) return done();
        return fail(new Error(`POST ${path}: ${response.statusCode} ${Buffer.concat(chunks)}`));
      });
    });
    outgoing.on('error', fail);
    outgoing.end(text);
  });
}
