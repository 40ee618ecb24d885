import { figure, median, printTable } from './figures.ts';
import { type Platform, startPlatform } from './platform.ts';
import { cpuSeconds } from './process-figures.ts';
import { onStage } from './stage.ts';

/* How many records a second are written with bulk requests, compared with a request for each, one after the other? */

const tenant = 'bench';
const rounds = Number(process.env.ROUNDS ?? 5);
const items = Number(process.env.ITEMS ?? 500);
let sequence = 0;

interface Kind {
  readonly name: string;
  readonly path: string;
  item(n: number): object;
}

const kinds: readonly Kind[] = [
  { name: 'customers', path: '/customers', item: (n) => ({ email: `c${n}@example.com`, first_name: 'Asha' }) },
  { name: 'products', path: '/products', item: (n) => ({ sku: `SKU-${n}`, title: `Tea ${n}`, price: '49.50' }) },
  {
    name: 'orders',
    path: '/orders',
    item: (n) => ({
      customer: { email: `o${n % 100}@example.com` },
      items: [{ name: 'Tea', quantity: 2, price: '49.50' }],
      track_stock: false,
    }),
  },
];

await onStage(async (stage) => {
  const environment = { SPARE_DATABASES: '0' };
  const platform = await startPlatform(stage, { storagePath: await stage.folder(), environment });
  await platform.post('/api/v1/bench/tenants', { id: tenant });
  const rows: string[][] = [];
  for (const kind of kinds) {
    const measured: Record<'single' | 'each' | 'all', Round>[] = [];
    // The first round warms up.
    for (let round = 0; round <= rounds; round += 1) {
      await platform.signIn();
      const single = await measure(platform, () => sendSingly(platform, kind));
      const each = await measure(platform, () => sendTogether(platform, kind, 'each'));
      const all = await measure(platform, () => sendTogether(platform, kind, 'all_or_nothing'));
      if (round > 0) measured.push({ single, each, all });
    }
    rows.push(row(kind.name, 'each', measured), row(kind.name, 'all', measured));
  }
  printTable(
    `Records written in one tenant, ${items} at a time: ${rounds} rounds, in turn, medians`,
    ['', 'mode', 'single requests', 'bulk', 'ratio', 'range', 'CPU'],
    rows,
  );
});

interface Round {
  readonly perSecond: number;
  /** CPU time of the server per record. */
  readonly cpuMicros: number;
}

function row(name: string, mode: 'each' | 'all', measured: readonly Record<'single' | 'each' | 'all', Round>[]) {
  const ratios = measured.map((round) => round[mode].perSecond / round.single.perSecond);
  const cpu = measured.map((round) => round.single.cpuMicros / round[mode].cpuMicros);
  return [
    name,
    mode === 'each' ? 'each' : 'all_or_nothing',
    figure(median(measured.map(({ single }) => single.perSecond)), '/s'),
    figure(median(measured.map((round) => round[mode].perSecond)), '/s'),
    figure(median(ratios)),
    `${figure(Math.min(...ratios))} – ${figure(Math.max(...ratios))}`,
    figure(median(cpu)),
  ];
}

async function measure({ pid }: Platform, write: () => Promise<void>): Promise<Round> {
  const cpuBefore = await cpuSeconds(pid);
  const startedAt = performance.now();
  await write();
  const perSecond = (items * 1_000) / (performance.now() - startedAt);
  return { perSecond, cpuMicros: (((await cpuSeconds(pid)) - cpuBefore) * 1e6) / items };
}

function nextItems({ item }: Kind): object[] {
  return Array.from({ length: items }, () => item(++sequence));
}

async function sendSingly(platform: Platform, kind: Kind): Promise<void> {
  for (const item of nextItems(kind)) await send(platform, kind.path, item);
}

async function sendTogether(platform: Platform, kind: Kind, mode: string): Promise<void> {
  const { failed } = await send(platform, `${kind.path}/bulk`, { mode, items: nextItems(kind) });
  if (failed !== 0) throw new Error(`${failed} ${kind.name} were not written`);
}

async function send({ port, headers }: Platform, path: string, body: object): Promise<{ failed?: number }> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
    method: 'POST',
    headers: { ...headers(tenant), 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
  return response.json() as Promise<{ failed?: number }>;
}
