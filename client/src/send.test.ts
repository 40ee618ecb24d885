import { expect, test } from 'vitest';
import { startAccounts } from '../../server/testing/accounts.ts';
import { getPort } from '../../server/testing/raw-http.ts';
import { type Fault, startFront } from '../testing/front.ts';
import { ChowkError, createClient, memoryTokens, NetworkError, TimeoutError, type Tokens } from './client.ts';

const platform = await startAccounts();
await platform.app.listen({ host: '127.0.0.1', port: 0 });
const acme = await platform.tenant();
const { accessToken } = await platform.person({ tenant: acme });
const tokens = memoryTokens({ accessToken });

/** A client whose first requests have these faults. */
async function clientWith(...faults: Fault[]) {
  const front = await startFront(`http://127.0.0.1:${getPort(platform.app)}`);
  front.faults.push(...faults);
  return { front, chowk: createClient({ url: front.url, tenant: acme.id, tokens }) };
}

const newOrder = (name: string) => ({ items: [{ name, quantity: 1, price: 10 }] });
const countOrders = async (name: string) => {
  const { chowk } = await clientWith();
  const orders = await Array.fromAsync(chowk.orders.list.all());
  return orders.filter(({ items }) => items.some((item) => item.name === name)).length;
};

test.each<[string, Fault]>([
  ['a lost connection', 'lost response'],
  ['a proxy without a server', { status: 502 }],
  ['a server that is not ready', { status: 503, headers: { 'retry-after': '0' } }],
  ['too many requests', { status: 429, headers: { 'retry-after': '0' } }],
])('reading is repeated after %s', async (_, fault) => {
  const { chowk, front } = await clientWith(fault, fault);
  expect((await chowk.auth.me()).tenants).toHaveLength(1);
  expect(front.requests).toHaveLength(3);
});

test('reading is repeated twice at most, or as often as the caller says', async () => {
  const { chowk, front } = await clientWith(...Array<Fault>(6).fill({ status: 503 }));
  await expect(chowk.auth.me()).rejects.toMatchObject({ status: 503, code: undefined });
  expect(front.requests).toHaveLength(3);
  await expect(chowk.auth.me({}, { retries: 0 })).rejects.toMatchObject({ status: 503 });
  expect(front.requests).toHaveLength(4);
});

test('a long wait that the server requests is left to the caller', async () => {
  const { chowk, front } = await clientWith({ status: 429, headers: { 'retry-after': '60' } });
  await expect(chowk.auth.me()).rejects.toMatchObject({ status: 429, retryAfter: 60 });
  expect(front.requests).toHaveLength(1);
});

test('a wait that the server requests is waited out up to the limit of the caller, beyond the time of the call', async () => {
  const wait: Fault = { status: 429, headers: { 'retry-after': '3' } };
  const { chowk, front } = await clientWith(wait);
  const started = Date.now();
  expect((await chowk.auth.me({}, { maxRetryWait: 3, timeoutMs: 2_500 })).tenants).toHaveLength(1);
  expect(Date.now() - started).toBeGreaterThanOrEqual(3_000);
  expect(front.requests).toHaveLength(2);
  front.faults.push(wait);
  await expect(chowk.auth.me({}, { maxRetryWait: 2 })).rejects.toMatchObject({ status: 429, retryAfter: 3 });
  expect(front.requests).toHaveLength(3);
});

test('an order whose response was lost is not created again without a key', async () => {
  const { chowk, front } = await clientWith('lost response');
  await expect(chowk.orders.create(newOrder('Tea'))).rejects.toThrow(NetworkError);
  expect(front.requests).toHaveLength(1);
  expect(await countOrders('Tea')).toBe(1);
});

test('an order with a key is repeated and created once', async () => {
  const { chowk, front } = await clientWith('lost response', { status: 503 });
  const { order } = await chowk.orders.create(newOrder('Rice'), { idempotencyKey: true });
  expect(order.items).toMatchObject([{ name: 'Rice' }]);
  expect(await countOrders('Rice')).toBe(1);
  const keys = front.requests.map(({ headers }) => headers['idempotency-key']);
  expect(keys).toHaveLength(3);
  expect(new Set(keys).size).toBe(1);
  expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
});

test('a request is not repeated as another user, nor without one', async () => {
  const other = await platform.person({ tenant: acme });
  for (const next of [{ accessToken: other.accessToken }, undefined]) {
    const { front } = await clientWith('lost response', { status: 503, headers: { 'retry-after': '0' } });
    let current: Tokens | undefined = { accessToken };
    const store = { get: () => current, set() {}, clear() {} };
    const chowk = createClient({ url: front.url, tenant: acme.id, tokens: store });
    for (const call of [
      () => chowk.orders.create(newOrder('Coffee'), { idempotencyKey: true }),
      () => chowk.orders.list(),
    ]) {
      current = { accessToken };
      const [before, failed] = [front.requests.length, call()];
      await Promise.all([
        expect(failed).rejects.toThrow(),
        front.arrival(before + 1).then(() => {
          current = next;
        }),
      ]);
      expect(front.requests).toHaveLength(before + 1);
    }
  }
});

test('an anonymous caller, whose key the platform ignores, sends a POST once', async () => {
  const { front } = await clientWith('lost response');
  const visitor = createClient({ url: front.url, idempotencyKey: true });
  await expect(visitor.password.forgot({ email: 'asha@example.com' })).rejects.toThrow(NetworkError);
  expect(front.requests).toHaveLength(1);
});

test('requests with the same key at the same time all get the response of one', async () => {
  const { chowk } = await clientWith();
  const create = () => chowk.orders.create(newOrder('Oil'), { idempotencyKey: 'order-7', retries: 20 });
  const answers = await Promise.all([create(), create(), create()]);
  expect(new Set(answers.map(({ order }) => order.id)).size).toBe(1);
  expect(await countOrders('Oil')).toBe(1);
});

test('the caller can choose the key, or have one generated for every POST', async () => {
  const { chowk, front } = await clientWith();
  await chowk.orders.create(newOrder('Salt'), { idempotencyKey: 'order-1042' });
  await chowk.orders.create(newOrder('Salt'), { idempotencyKey: 'order-1042' });
  expect(await countOrders('Salt')).toBe(1);
  const careful = createClient({ url: front.url, tenant: acme.id, tokens, idempotencyKey: true });
  await careful.orders.create(newOrder('Salt'));
  expect(await countOrders('Salt')).toBe(2);
  expect(front.requests.map(({ headers }) => headers['idempotency-key'])).toEqual([
    'order-1042',
    'order-1042',
    expect.stringMatching(/^[0-9a-f]{32}$/),
  ]);
});

test('a change without a key and a refusal are not repeated', async () => {
  const { chowk, front } = await clientWith({ status: 503 });
  await expect(chowk.profile.update({ name: 'Asha R.' })).rejects.toMatchObject({ status: 503 });
  await expect(chowk.orders.list({ per_page: 101 })).rejects.toMatchObject({ status: 422 });
  expect(front.requests).toHaveLength(2);
});

test('a request that was refused for its number is repeated, whatever its method', async () => {
  const refusal: Fault = { status: 429, headers: { 'retry-after': '0' } };
  const { chowk, front } = await clientWith(refusal);
  await chowk.orders.create(newOrder('Cumin'));
  expect(await countOrders('Cumin')).toBe(1);
  front.faults.push(refusal);
  expect((await chowk.profile.update({ name: 'Asha R.' })).profile.name).toBe('Asha R.');
  expect(front.requests.map(({ method }) => method)).toEqual(['POST', 'POST', 'PATCH', 'PATCH']);
  front.faults.push(refusal);
  const visitor = createClient({ url: front.url });
  await expect(visitor.password.forgot({ email: 'asha@example.com' })).rejects.toMatchObject({ status: 429 });
  expect(front.requests).toHaveLength(5);
});

test('a PUT and a DELETE are repeated after a lost connection, but not with a version', async () => {
  const { chowk, front } = await clientWith();
  const put = (options = {}) =>
    chowk.customers.upsertByExternalId({ platform: 'erp', external_id: '1', first_name: 'Meera' }, options);
  const { customer } = await put();
  front.faults.push('lost response');
  expect((await put()).customer.id).toBe(customer.id);
  expect(front.requests).toHaveLength(3);
  front.faults.push('lost response');
  await expect(put({ headers: { 'If-Match': `"${customer.updated_at}"` } })).rejects.toThrow(NetworkError);
  front.faults.push({ status: 503 });
  await chowk.customers.delete({ id: customer.id });
  expect(front.requests.map(({ method }) => method)).toEqual(['PUT', 'PUT', 'PUT', 'PUT', 'DELETE', 'DELETE']);
});

test('an exception of onResponse is that of the call, which is not repeated', async () => {
  const { chowk, front } = await clientWith();
  const onResponse = () => {
    throw new RangeError('no such header');
  };
  await expect(chowk.auth.me({}, { onResponse })).rejects.toThrow(RangeError);
  expect(front.requests).toHaveLength(1);
});

test('a call ends when its time is over', async () => {
  const { chowk } = await clientWith('no-response');
  await expect(chowk.auth.me({}, { timeoutMs: 50 })).rejects.toThrow(TimeoutError);
});

test('a call ends when its caller aborts it, with the reason of the caller', async () => {
  const { chowk, front } = await clientWith('no-response');
  const controller = new AbortController();
  const call = chowk.auth.me({}, { signal: controller.signal });
  await front.arrival(1);
  controller.abort();
  await expect(call).rejects.toMatchObject({ name: 'AbortError' });
  await expect(chowk.auth.me({}, { signal: AbortSignal.abort('closed') })).rejects.toBe('closed');
  expect(front.requests).toHaveLength(1);
});

test('a caller can abort while the client waits for the next attempt', { timeout: 20_000 }, async () => {
  const busy = async () => new Response(null, { status: 503, headers: { 'retry-after': '30' } });
  const controller = new AbortController();
  const call = createClient({ fetch: busy }).health.get({}, { signal: controller.signal });
  await new Promise(setImmediate);
  controller.abort(new Error('The page was closed.'));
  await expect(call).rejects.toThrow('The page was closed.');
});

test('a failure of the network has its cause', async () => {
  const chowk = createClient({ url: 'http://127.0.0.1:1', retries: 0 });
  const error = await chowk.health.get().catch((error: unknown) => error);
  expect(error).toBeInstanceOf(NetworkError);
  expect(error).not.toBeInstanceOf(ChowkError);
  expect((error as NetworkError).cause).toBeInstanceOf(TypeError);
});

test('without a tenant the address names it', async () => {
  const { front } = await clientWith();
  await createClient({ url: `${front.url}/`, tokens }).auth.me();
  expect(front.requests).toMatchObject([{ method: 'GET', path: '/api/v1/auth/me' }]);
  expect(front.requests[0]?.headers).not.toHaveProperty('x-tenant');
});
