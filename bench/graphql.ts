import { deepStrictEqual } from 'node:assert';
import { createHash } from 'node:crypto';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { figure, median, printTable } from './figures.ts';
import { load } from './load.ts';
import { type Platform, startPlatform } from './platform.ts';
import { cpuSeconds } from './process-figures.ts';
import { node, onStage, repository, type Stage } from './stage.ts';

/*
 * GraphQL, plain and persisted, compared with the same REST call and with other servers that have the same schema and data;
 * the first request after a change of modules, and the memory of a schema.
 */

const tenant = 'bench';
const rounds = Number(process.env.ROUNDS ?? 5);
const seconds = 2;
const connections = 16;
const warmUpRequests = 10_000;
const peers = ['yoga', 'apollo', 'mercurius'];

const query = `query Products($first: Int!) {
  products(first: $first) {
    nodes { id sku title price status stock tags categories created_at updated_at }
    pageInfo { hasNextPage endCursor }
  }
}`;
const variables = { first: 20 };

interface Side {
  readonly name: string;
  readonly pid: number;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: object;
}

interface Round {
  readonly perSecond: number;
  readonly cpuMicros: number;
}

await onStage(async (stage) => {
  const storagePath = await stage.folder();
  const platform = await startPlatform(stage, {
    storagePath,
    flags: ['--expose-gc'],
    environment: { SPARE_DATABASES: '0', GRAPHQL_INTROSPECTION: 'false' },
  });
  const { database } = await platform.post<{ database: string }>('/api/v1/bench/tenants', { id: tenant });
  await fill({ ...platform.database, database });
  const ours = await ownSides(platform);
  const others = await startPeers(stage, platform, database);
  const [plain] = ours as [Side, ...Side[]];
  const answer = await ask(plain);
  for (const side of others) deepStrictEqual(await ask(side), answer, `${side.name} responds differently`);
  const measured = await measureAll(stage, [...ours, ...others]);
  printRatios(measured, [...ours, ...others]);
  await measureModuleChanges(platform);
});

async function fill(target: object): Promise<void> {
  const client = new pg.Client(target);
  await client.connect();
  await client.query(`
    INSERT INTO products (id, sku, title, description, price, status, tags, categories, stock, created_at, updated_at)
    SELECT gen_random_uuid(), 'SKU-' || n, 'Product ' || n, repeat('Soft and strong. ', 6), n * 0.25, 'active',
      ARRAY['new', 'cotton'], ARRAY['Shirts'], n % 50, now() - n * interval '1 minute', now()
    FROM generate_series(1, 10000) n`);
  await client.query('ANALYZE');
  await client.end();
}

/** The plain and the persisted operation and the REST call, in this order. */
async function ownSides(platform: Platform): Promise<Side[]> {
  const base = `http://127.0.0.1:${platform.port}/api/v1`;
  const headers = platform.headers(tenant);
  const registered = await fetch(`${base}/graphql/persisted`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ query, name: 'Products' }),
  });
  if (!registered.ok) throw new Error(await registered.text());
  const sha256Hash = createHash('sha256').update(query).digest('hex');
  const persisted = { variables, extensions: { persistedQuery: { version: 1, sha256Hash } } };
  const { pid } = platform;
  return [
    { name: 'GraphQL', pid, url: `${base}/graphql`, headers, body: { query, variables } },
    { name: 'GraphQL, persisted', pid, url: `${base}/graphql`, headers, body: persisted },
    { name: 'REST', pid, url: `${base}/products?limit=20`, headers },
  ];
}

async function startPeers(stage: Stage, platform: Platform, database: string): Promise<Side[]> {
  const folder = await stage.folder();
  for (const file of ['package.json', 'serve.js']) {
    await copyFile(join(repository, 'bench/graphql-peers', file), join(folder, file));
  }
  await stage.start('sh', ['-c', `cd '${folder}' && npm install --no-audit --no-fund`]).output();
  const schema = join(folder, 'schema.graphql');
  const headers = platform.headers(tenant);
  const response = await fetch(`http://127.0.0.1:${platform.port}/api/v1/graphql/schema`, { headers });
  await writeFile(schema, await response.text());
  const sides: Side[] = [];
  for (const name of peers) {
    const running = stage.start(node, [join(folder, 'serve.js')], {
      NODE_ENV: 'production',
      PEER: name,
      SCHEMA: schema,
      DATABASE: JSON.stringify({ ...platform.database, database }),
    });
    const { pid, port } = JSON.parse(await running.firstLine());
    sides.push({ name, pid, url: `http://127.0.0.1:${port}/graphql`, headers: {}, body: { query, variables } });
  }
  return sides;
}

async function ask({ url, headers, body }: Side): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { data } = (await response.json()) as { data: unknown };
  return data;
}

async function measureAll(stage: Stage, sides: readonly Side[]): Promise<Map<Side, Round[]>> {
  for (const side of sides) await measure(stage, side, { requests: warmUpRequests });
  const measured = new Map(sides.map((side) => [side, [] as Round[]]));
  for (let round = 0; round < rounds; round += 1) {
    // Alternating, so that other load on the machine affects all.
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      measured.get(side)?.push(await measure(stage, side, { seconds }));
    }
  }
  return measured;
}

async function measure(
  stage: Stage,
  { pid, url, headers, body }: Side,
  amount: { seconds: number } | { requests: number },
): Promise<Round> {
  const before = await cpuSeconds(pid);
  const { requests, perSecond } = await load(stage, { url, headers, connections, amount, ...(body && { body }) });
  return { perSecond, cpuMicros: (((await cpuSeconds(pid)) - before) / requests) * 1e6 };
}

function printRatios(measured: ReadonlyMap<Side, readonly Round[]>, sides: readonly Side[]): void {
  const listThroughputs = (side: Side) => (measured.get(side) as Round[]).map(({ perSecond }) => perSecond);
  const [plain, persisted, rest, ...others] = sides as [Side, Side, Side, ...Side[]];
  const cells = (side: Side, base: Side, target: string) => {
    const ratios = listThroughputs(side).map((value, round) => value / (listThroughputs(base)[round] as number));
    const cpu = (one: Side) => median((measured.get(one) as Round[]).map(({ cpuMicros }) => cpuMicros));
    return [
      `${side.name} : ${base.name}`,
      ...[side, base].flatMap((one) => [figure(median(listThroughputs(one)), '/s'), figure(cpu(one), 'µs')]),
      figure(median(ratios)),
      `${figure(Math.min(...ratios))} – ${figure(Math.max(...ratios))}`,
      target,
    ];
  };
  printTable(
    `GraphQL, 20 products of 10 fields: ${connections} clients, ${rounds} rounds of ${seconds} s each, alternating, medians`,
    ['', '', 'CPU', '', 'CPU', 'ratio', 'range', 'target'],
    [
      cells(plain, rest, '≥ 0.8'),
      cells(persisted, rest, '≥ 0.8'),
      ...others.map((other) => cells(plain, other, '> 1')),
    ],
  );
}

/** Each subset of the modules is a schema of its own. */
async function measureModuleChanges(platform: Platform): Promise<void> {
  const client = new pg.Client({ ...platform.database, database: platform.central });
  await client.connect();
  const modules = ['conversations', 'customers', 'orders'];
  const [side] = await ownSides(platform);
  const measureTime = async () => {
    const startedAt = performance.now();
    await ask(side as Side);
    return performance.now() - startedAt;
  };
  const heapUsed = async () => (await platform.get<{ heapUsed: number }>('/api/v1/bench/memory')).heapUsed;
  const before = await heapUsed();
  const first: number[] = [];
  const later: number[] = [];
  const subsets = 2 ** modules.length - 1;
  for (let subset = 1; subset <= subsets; subset += 1) {
    const disabled = modules.filter((_, index) => subset & (1 << index));
    await client.query(
      `UPDATE module_installations SET status = CASE WHEN alias = ANY($2) THEN 'disabled' ELSE 'enabled' END
       WHERE tenant_id = $1`,
      [tenant, disabled],
    );
    await new Promise((resolve) => setTimeout(resolve, 200));
    first.push(await measureTime());
    for (let times = 0; times < 10; times += 1) later.push(await measureTime());
  }
  const memory = ((await heapUsed()) - before) / subsets;
  await client.end();
  printTable(
    `A new set of modules, ${subsets} times`,
    ['', 'median', 'slowest'],
    [
      ['first request', figure(median(first), 'ms'), figure(Math.max(...first), 'ms')],
      ['later requests', figure(median(later), 'ms'), figure(Math.max(...later), 'ms')],
      ['memory of a schema with its operation', figure(memory / 1024, 'KB'), ''],
    ],
  );
}
