import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { figure, printTable } from './figures.ts';
import { type Platform, startPlatform } from './platform.ts';
import { cpuSeconds, listChildren, readMemory } from './process-figures.ts';
import { onStage } from './stage.ts';

/*
 * What do small requests cost that are made to be expensive? For each: the answer, the CPU time of the server, how long another
 * request had to wait at most, and the memory that the server and its child processes took.
 */

const tenant = 'bench';
const limits = { waitMs: 250, megabytes: 200 };

interface HostileRequest {
  readonly name: string;
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer> | FormData;
}

await onStage(async (stage) => {
  const platform = await startPlatform(stage, {
    storagePath: await stage.folder(),
    environment: { GRAPHQL_INTROSPECTION: 'true' },
  });
  await platform.post('/api/v1/bench/tenants', { id: tenant });
  const requests = (await listRequests(platform)).filter(({ name }) => name.includes(process.env.ONLY ?? ''));
  const rows: string[][] = [];
  let exceeded = 0;
  for (const request of requests) {
    const cost = await measure(platform, request);
    const isTooMuch = cost.waitMs > limits.waitMs || cost.megabytes > limits.megabytes;
    if (isTooMuch) exceeded += 1;
    rows.push([
      request.name,
      figure(requestBytes(request) / 1_000, 'KB'),
      String(cost.status),
      figure(cost.cpuMs, 'ms'),
      figure(cost.waitMs, 'ms'),
      figure(cost.megabytes, 'MB'),
      isTooMuch ? 'too much' : '',
    ]);
    console.log(rows.at(-1)?.join('  '));
  }
  printTable(
    `Limits: another request waits at most ${limits.waitMs} ms, at most ${limits.megabytes} MB more memory`,
    ['', 'body', 'status', 'CPU', 'longest wait', 'memory', ''],
    rows,
  );
  process.exitCode = exceeded === 0 ? 0 : 1;
});

function requestBytes({ path, body = '' }: HostileRequest): number {
  if (!(body instanceof FormData)) return path.length + body.length;
  return [...body.values()].reduce((sum, value) => sum + (typeof value === 'string' ? value.length : value.size), 0);
}

interface Cost {
  readonly status: number;
  readonly cpuMs: number;
  readonly waitMs: number;
  readonly megabytes: number;
}

async function measure(platform: Platform, request: HostileRequest): Promise<Cost> {
  // The first one may load code.
  await send(platform, request);
  const [cpuBefore, memoryBefore] = [await cpuSeconds(platform.pid), (await readMemory(platform.pid)).own];
  let isRunning = true;
  let peak = memoryBefore;
  const watchMemory = async () => {
    while (isRunning) {
      const pids = [platform.pid, ...(await listChildren(platform.pid))];
      const sizes = await Promise.all(pids.map(readMemory));
      peak = Math.max(
        peak,
        sizes.reduce((sum, { own }) => sum + (own || 0), 0),
      );
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  let waitMs = 0;
  const watchOthers = async () => {
    while (isRunning) {
      const startedAt = performance.now();
      await platform.get('/api/v1/bench/nothing', platform.headers(tenant));
      waitMs = Math.max(waitMs, performance.now() - startedAt);
    }
  };
  const watchers = [watchMemory(), watchOthers()];
  const status = await send(platform, request);
  // Work that goes on after the answer counts too.
  await new Promise((resolve) => setTimeout(resolve, 100));
  isRunning = false;
  await Promise.all(watchers);
  const cpuMs = ((await cpuSeconds(platform.pid)) - cpuBefore) * 1_000;
  return { status, cpuMs, waitMs, megabytes: peak - memoryBefore };
}

async function send({ port, headers }: Platform, { method = 'POST', path, headers: own, body }: HostileRequest) {
  const isJson = typeof body === 'string' && own === undefined;
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { ...headers(tenant), ...(isJson ? { 'content-type': 'application/json' } : {}), ...own },
    ...(body === undefined ? {} : { body }),
  });
  await response.arrayBuffer();
  return response.status;
}

async function listRequests(platform: Platform): Promise<HostileRequest[]> {
  const { product } = await create<{ product: { id: string } }>(platform, '/api/v1/products', {
    sku: 'HOSTILE',
    title: 'Target of uploads',
    price: '1',
  });
  return [...(await imageRequests(product.id)), ...graphqlRequests(), ...jsonRequests(), ...otherRequests()];
}

async function create<Body>({ port, headers }: Platform, path: string, body: object): Promise<Body> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { ...headers(tenant), 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (response.status !== 201) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json() as Promise<Body>;
}

async function imageRequests(productId: string): Promise<HostileRequest[]> {
  const noise = (width: number, height: number) =>
    sharp({
      create: { width, height, channels: 3, background: 'navy', noise: { type: 'gaussian', mean: 128, sigma: 30 } },
    });
  const pictures: Record<string, Uint8Array> = {
    'PNG of 50,000,000 x 1 pixels': png(50_000_000, 1),
    'PNG of 1 x 50,000,000 pixels': png(1, 50_000_000),
    'PNG of 16,384 x 3,000 pixels': png(16_384, 3_000),
    'PNG of 7,000 x 7,000 pixels, interlaced': png(7_000, 7_000, { interlaced: true }),
    'PNG of 7,000 x 7,000 pixels of 8 bytes': png(7_000, 7_000, { depth: 16, colorType: 6 }),
    'PNG with a comment of 40 MB': png(10, 10, { comment: deflateSync(Buffer.alloc(40_000_000)) }),
    'progressive JPEG of 16,000 x 3,000 pixels': await sharp({
      create: { width: 16_000, height: 3_000, channels: 3, background: 'navy' },
    })
      .jpeg({ progressive: true })
      .toBuffer(),
    'WebP of 16,383 x 3,000 pixels': await sharp({
      create: { width: 16_383, height: 3_000, channels: 4, background: 'navy' },
    })
      .webp({ lossless: true })
      .toBuffer(),
    'JPEG of noise, 7 MB': await noise(3_600, 2_600).jpeg({ quality: 95 }).toBuffer(),
  };
  return Object.entries(pictures).map(([name, content]) => {
    const body = new FormData();
    body.append('file', new Blob([new Uint8Array(content)]), 'picture');
    return { name: `image: ${name}`, path: `/api/v1/products/${productId}/images`, body, headers: {} };
  });
}

interface PngOptions {
  readonly depth?: number;
  readonly colorType?: number;
  readonly interlaced?: boolean;
  readonly comment?: Buffer;
}

/** A black picture. */
function png(
  width: number,
  height: number,
  { depth = 8, colorType = 0, interlaced, comment }: PngOptions = {},
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.writeUInt8(depth, 8);
  header.writeUInt8(colorType, 9);
  header.writeUInt8(interlaced ? 1 : 0, 12);
  const bytesPerPixel = (depth / 8) * (colorType === 6 ? 4 : 1);
  // Interlaced pictures have more lines, each with a byte of its own.
  const data = deflateSync(Buffer.alloc(width * height * bytesPerPixel + height * (interlaced ? 2 : 1)));
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    ...(comment ? [chunk('zTXt', Buffer.concat([Buffer.from('c\0\0'), comment]))] : []),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

function graphqlRequests(): HostileRequest[] {
  const times = (count: number, write: (n: number) => string) =>
    Array.from({ length: count }, (_, n) => write(n)).join(' ');
  const nested = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth);
  const queries: Record<string, string> = {
    '29 introspections': `{ ${times(29, (n) => `a${n}:__schema{...f}`)} } fragment f on __Schema {
      types { ...t fields { name description args { name type { ...t } } type { ...t } } inputFields { type { ...t } } } }
      fragment t on __Type { name kind description ofType { name ofType { name ofType { name } } } }`,
    'nested introspection': `{ __schema { types { fields { type { ${nested(10, 'ofType { ', '} ')} name } args { type { name } } } } } }`,
    '50,000 repeated fields': `{ ${times(50_000, () => 'customers { customers { id } }')} }`,
    '2,000 aliases of __typename': `{ ${times(2_000, (n) => `a${n}: __typename`)} }`,
    '2,000 operations': times(2_000, (n) => `query q${n} { __typename }`),
    'a literal 5,000 deep': `{ customers(search: ${nested(5_000, '[', ']')}) { customers { id } } }`,
    'fragments that multiply': `{ ...f0 } ${times(20, (n) => `fragment f${n} on Query { ${n < 19 ? `...f${n + 1} ...f${n + 1}` : '__typename'} }`)}`,
    'fragments in a circle': '{ ...a } fragment a on Query { ...b } fragment b on Query { ...a }',
    'overlapping fields': `{ ${times(300, () => 'customers(per_page: 1) { customers { id } }')} }`,
  };
  return Object.entries(queries).map(([name, query]) => ({
    name: `GraphQL: ${name}`,
    path: '/api/v1/graphql',
    body: JSON.stringify({ query }),
  }));
}

function jsonRequests(): HostileRequest[] {
  const bodies: Record<string, string> = {
    '100,000 nested lists': '['.repeat(100_000) + ']'.repeat(100_000),
    '50,000 nested objects': '{"a":'.repeat(50_000) + '1' + '}'.repeat(50_000),
    '100,000 different keys': `{${Array.from({ length: 100_000 }, (_, n) => `"k${n}":1`).join(',')}}`,
    'a number of 500,000 digits': `{"first_name":${'9'.repeat(500_000)}}`,
    __proto__: `{"__proto__":{"a":1},"constructor":{"prototype":{}},"first_name":"A"}`,
    '20,000 tags': JSON.stringify({ first_name: 'A', tags: Array.from({ length: 20_000 }, (_, n) => `t${n}`) }),
    'a name of 900,000 combining marks': JSON.stringify({ first_name: '\u0301'.repeat(300_000) }),
    'an email of 500,000 characters': JSON.stringify({ email: `${'a.'.repeat(250_000)}@b` }),
    'a phone of 500,000 characters': JSON.stringify({ phone: '+'.repeat(250_000) + '1 '.repeat(125_000) }),
  };
  return Object.entries(bodies).map(([name, body]) => ({ name: `JSON: ${name}`, path: '/api/v1/customers', body }));
}

function otherRequests(): HostileRequest[] {
  const csv = { 'content-type': 'text/csv' };
  const get = (name: string, path: string): HostileRequest => ({ name, method: 'GET', path: `/api/v1${path}` });
  const long = (text: string, count: number) => encodeURIComponent(text.repeat(count));
  return [
    {
      name: 'CSV: one field of 5 MB that is never closed',
      path: '/api/v1/products/import',
      headers: csv,
      body: `sku,title,price\r\n"${'a'.repeat(5_000_000)}`,
    },
    {
      name: 'CSV: 500,000 columns',
      path: '/api/v1/products/import',
      headers: csv,
      body: `${'a,'.repeat(500_000)}\r\n${','.repeat(500_000)}`,
    },
    {
      name: 'CSV: 1,000,000 empty lines',
      path: '/api/v1/products/import',
      headers: csv,
      body: `sku,title,price\r\n${'\r\n'.repeat(1_000_000)}`,
    },
    {
      name: 'CSV: 200,000 faulty lines',
      path: '/api/v1/products/import/preview',
      headers: csv,
      body: `sku,title,price\r\n${',,x\r\n'.repeat(200_000)}`,
    },
    get('search: 200 characters of one letter', `/customers/search?q=${long('a', 200)}`),
    get('search: percent signs', `/customers/search?q=${long('%_', 50)}`),
    get('search: backslashes', `/products/search?q=${long('\\', 100)}`),
    get('search: 100 words', `/customers?search=${long('a b ', 50)}`),
    get('list: page 10,000,000', '/orders?page=10000000&per_page=100'),
    get('list: 1,000 query parameters', `/orders?${Array.from({ length: 1_000 }, (_, n) => `_${n}=1`).join('&')}`),
    get('list: a cursor of 10,000 characters', `/orders?limit=10&cursor=${'A'.repeat(10_000)}`),
    get('export: customers', '/customers/export?format=json'),
  ];
}
