import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { startAccounts } from '../../testing/accounts.ts';
import { eventually } from '../../testing/eventually.ts';

interface Received {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly start: bigint;
  readonly end: bigint;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly status: { readonly code?: number; readonly message?: string };
}

const received: Received[] = [];
let headers: unknown;
let status = 200;
const collector = createServer(async (request, response) => {
  const body = JSON.parse(Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString());
  headers = { url: request.url, authorization: request.headers.authorization };
  for (const { scopeSpans } of body.resourceSpans) {
    for (const { attributes, startTimeUnixNano, endTimeUnixNano, ...span } of scopeSpans[0].spans) {
      const values = attributes.map(({ key, value }: { key: string; value: object }) => [key, Object.values(value)[0]]);
      const times = { start: BigInt(startTimeUnixNano), end: BigInt(endTimeUnixNano) };
      received.push({ ...span, ...times, attributes: Object.fromEntries(values) });
    }
  }
  response.writeHead(status).end('{}');
}).listen(0, '127.0.0.1');
await once(collector, 'listening');
afterAll(() => collector.close());

const platform = await startAccounts({
  environment: {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc',
    TRACE_PERCENT: '100',
  },
});
const acme = await platform.tenant();
const owner = await platform.person({ tenant: acme });
const traceId = (digit: string) => `${'0'.repeat(31)}${digit}`;
const continued = (digit: string) => ({ traceparent: `00-${traceId(digit)}-00000000000000aa-01` });

/** The spans of a trace, when its request has ended. */
function trace(id: string): Promise<Received[]> {
  return eventually(() => {
    const spans = received.filter((span) => span.traceId === id);
    expect(spans.some(({ kind }) => kind === 2)).toBe(true);
    return spans;
  });
}

test('a request is a trace with its actions and its SQL, without values', async () => {
  const order = {
    customer: { first_name: 'Meera', email: 'meera@example.com' },
    items: [{ name: 'Secret tea', quantity: 1, price: '4' }],
  };
  expect((await owner.post('/api/v1/orders', order, continued('1'))).status).toBe(201);
  const spans = await trace(traceId('1'));
  const root = spans.find(({ kind }) => kind === 2) as Received;
  expect(root).toMatchObject({
    name: 'POST /api/v1/orders',
    parentSpanId: '00000000000000aa',
    attributes: {
      'http.route': '/api/v1/orders',
      'http.response.status_code': 201,
      'chowk.tenant': acme.id,
      'chowk.user': owner.id,
    },
    status: {},
  });
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const action = spans.find(({ name }) => name === 'orders.create') as Received;
  expect(action.parentSpanId).toBe(root.spanId);
  const called = spans.find(({ name }) => name.startsWith('customers.')) as Received;
  expect(called).toMatchObject({ parentSpanId: action.spanId, attributes: { 'chowk.transport': 'bus' } });
  const insert = spans.find(({ attributes }) => /INSERT INTO orders/.test(String(attributes['db.query.text'])));
  expect(insert).toMatchObject({
    kind: 3,
    parentSpanId: action.spanId,
    attributes: { 'db.namespace': `tenant${acme.id}` },
  });
  for (const span of spans) {
    expect(span.end >= span.start).toBe(true);
    expect(span === root || byId.has(span.parentSpanId ?? '')).toBe(true);
  }
  expect(JSON.stringify(spans.map(({ name, attributes }) => ({ name, attributes })))).not.toMatch(/meera|Secret tea/i);
  expect(headers).toEqual({ url: '/v1/traces', authorization: 'Bearer abc' });
});

test('requests at the same time have their own spans; a failure says why', async () => {
  const digits = ['2', '3', '4', '5'];
  await Promise.all(
    digits.map((digit) => owner.get(`/api/v1/customers/00000000-0000-7000-8000-00000000000${digit}`, continued(digit))),
  );
  for (const digit of digits) {
    const spans = await trace(traceId(digit));
    expect(spans.filter(({ name }) => name === 'customers.get')).toMatchObject([
      { status: { code: 2, message: 'customers.not_found' } },
    ]);
    expect(spans.find(({ kind }) => kind === 2)?.attributes['http.response.status_code']).toBe(404);
  }
});

test('a task is a trace of its own', async () => {
  await platform.kernel.work();
  expect((await owner.post('/api/v1/auth/password/forgot', { email: owner.email })).status).toBe(200);
  await eventually(() => {
    const task = received.find(({ kind, name }) => kind === 5 && name === 'identity.forgot_password');
    expect(task?.attributes['messaging.destination.name']).toBe('mail');
    expect(received.some(({ parentSpanId }) => parentSpanId === task?.spanId)).toBe(true);
  });
});

test('while the collector fails, requests are served; later traces arrive', async () => {
  status = 500;
  headers = undefined;
  for (let index = 0; index < 5; index += 1) expect((await owner.get('/api/v1/orders')).status).toBe(200);
  await eventually(() => expect(headers).toBeDefined());
  status = 200;
  expect((await owner.get('/api/v1/orders', continued('9'))).status).toBe(200);
  expect(await trace(traceId('9'))).toContainEqual(expect.objectContaining({ name: 'GET /api/v1/orders' }));
});
