import { sql } from '@chowk/kit';
import { beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../server/testing/eventually.ts';
import { startPaymentPlatform } from '../../server/testing/payment-shop.ts';
import { jobs } from './jobs.ts';

const { platform, servers, shop } = await startPaymentPlatform();
const providers = ['stripe', 'razorpay'] as const;
const shops = { stripe: await shop('stripe'), razorpay: await shop('razorpay') };

beforeEach(() => {
  for (const server of Object.values(servers)) Object.assign(server, { lost: 0 }).failures.length = 0;
});

describe.each(providers)('with %s', (provider) => {
  const server = servers[provider];
  const acme = shops[provider];

  test('a link asks for what is due, with the details of the order', async () => {
    const { url, link, served } = await acme.linkedOrder();
    expect(link).toMatchObject({ provider, amount: '500.00', currency: 'INR', status: 'open', url: served.url });
    expect(Date.parse(link.expires_at)).toBeGreaterThan(Date.now());
    expect(served).toMatchObject({ amount: 50_000, reference: link.id });
    const { body } = server.requests.at(-1) ?? {};
    expect(decodeURIComponent(body ?? '')).toMatch(/Order.1001.*@example.com|@example.com.*Order.1001/s);
    expect((await acme.owner.get(`${url}/payment-links`)).body.payment_links).toMatchObject([{ id: link.id }]);
  });

  test('a second request for the same amount returns the open link, another amount a new one', async () => {
    const { url, link } = await acme.linkedOrder();
    const count = server.links.size;
    expect((await acme.owner.post(`${url}/payment-link`)).body.link).toEqual(link);
    expect((await acme.owner.post(`${url}/payment-link`, { amount: '500' })).body.link).toEqual(link);
    expect(server.links.size).toBe(count);
    const part = await acme.owner.post(`${url}/payment-link`, { amount: '120.50' });
    expect(part).toMatchObject({ status: 201, body: { link: { amount: '120.50', status: 'open' } } });
    expect(part.body.link.id).not.toBe(link.id);
  });

  test('concurrent requests create one link', async () => {
    const { url } = await acme.order();
    const count = server.links.size;
    const responses = await Promise.all(Array.from({ length: 8 }, () => acme.owner.post(`${url}/payment-link`)));
    const links = responses.filter(({ status }) => status === 201).map(({ body }) => body.link.url);
    expect(links.length).toBeGreaterThan(0);
    expect(new Set(links).size).toBe(1);
    expect(server.links.size).toBe(count + 1);
    expect((await acme.owner.get(`${url}/payment-links`)).body.payment_links).toHaveLength(1);
  });

  test('a response that was lost leaves no second link behind', async () => {
    const { url } = await acme.order();
    const count = server.links.size;
    server.lost = 1;
    const lost = await acme.owner.post(`${url}/payment-link`, {}, { 'idempotency-key': `lost-${provider}-1` });
    expect(lost).toMatchObject({ status: 409, body: { code: 'payments.unavailable' } });
    const again = await acme.owner.post(`${url}/payment-link`, {}, { 'idempotency-key': `lost-${provider}-1` });
    expect(again).toMatchObject({ status: 201, body: { link: { status: 'open' } } });
    expect(server.links.size).toBe(count + 1);
  });

  test('what the provider refuses is reported with its reason, and can be tried again', async () => {
    const { url } = await acme.order();
    const small = await acme.owner.post(`${url}/payment-link`, { amount: '0.05' });
    expect(small).toMatchObject({ status: 422, body: { code: 'payments.refused' } });
    expect(small.body.message).toMatch(/refused the request: .*at least/);
    const { payment_links } = (await acme.owner.get(`${url}/payment-links`)).body;
    expect(payment_links).toMatchObject([{ status: 'failed', url: null, failure: expect.stringMatching(/at least/) }]);
    expect((await acme.owner.post(`${url}/payment-link`)).status).toBe(201);
  });

  test('a link is cancelled at the provider, and only once', async () => {
    const { url, link, served } = await acme.linkedOrder();
    const cancel = `${url}/payment-links/${link.id}/cancel`;
    server.failures.push(500);
    expect(await acme.owner.post(cancel)).toMatchObject({ status: 409, body: { code: 'payments.unavailable' } });
    expect(await acme.owner.post(cancel)).toMatchObject({ status: 200, body: { link: { status: 'cancelled' } } });
    expect(served.status).toBe('cancelled');
    expect(await acme.owner.post(cancel)).toMatchObject({ status: 409, body: { code: 'payments.link_closed' } });
    const other = (await acme.order()).url;
    expect((await acme.owner.post(`${other}/payment-links/${link.id}/cancel`)).status).toBe(404);
    expect((await acme.owner.post(`${url}/payment-link`)).body.link).toMatchObject({ status: 'open' });
  });

  test.each(['cancelled', 'deleted'])('the links of a %s order are cancelled at the provider', async (change) => {
    const { url, link, served } = await acme.linkedOrder();
    server.failures.push(500);
    await (change === 'deleted' ? acme.owner.delete(url) : acme.owner.post(`${url}/cancel`));
    await eventually(() => expect(server.failures).toEqual([]));
    // The next attempt follows after ten seconds.
    await jobs['payments.cancel_link'].run(acme.tenant.context('payments'), { id: link.order_id, link: link.id });
    expect(served.status).toBe('cancelled');
    const rows = await acme.tenant.db.rows(sql`SELECT status FROM payment_links WHERE id = ${link.id}`);
    expect(rows).toEqual([{ status: 'cancelled' }]);
  });

  test('an expired link is replaced', async () => {
    const { url, link } = await acme.linkedOrder();
    await acme.tenant.db.run(sql`UPDATE payment_links SET expires_at = now() WHERE id = ${link.id}`);
    const { body } = await acme.owner.post(`${url}/payment-link`);
    expect(body.link.id).not.toBe(link.id);
    const { payment_links } = (await acme.owner.get(`${url}/payment-links?sort_order=asc`)).body;
    expect(payment_links).toMatchObject([{ status: 'expired' }, { status: 'open' }]);
  });

  test('keys are tested, and never shown', async () => {
    const path = `/api/v1/payments/providers/${provider}`;
    expect((await acme.owner.post(`${path}/test`)).body).toEqual({ works: true, reason: null });
    const listed = await acme.owner.get('/api/v1/payments/providers');
    expect(listed.body.providers.find((one: { provider: string }) => one.provider === provider)).toMatchObject({
      is_configured: true,
      is_chosen: true,
      mode: 'test',
      callback_url: expect.stringMatching(
        new RegExp(`^http://${acme.tenant.id}\\.localhost(:\\d+)?/api/v1/payments/callbacks/${provider}$`),
      ),
    });
    const rows = await acme.tenant.db.rows(sql`SELECT * FROM payment_accounts`);
    for (const text of [listed.body, rows, await acme.tenant.db.rows(sql`SELECT * FROM module_bus_audit_log`)]) {
      expect(JSON.stringify(text)).not.toContain(server.keys.secret_key);
      expect(JSON.stringify(text)).not.toContain(server.keys.webhook_secret);
    }
    await acme.owner.put(path, { secret_key: `${server.keys.secret_key}Wrong` });
    expect((await acme.owner.post(`${path}/test`)).body).toEqual({ works: false, reason: expect.any(String) });
    await acme.owner.put(path, { secret_key: server.keys.secret_key });
    expect((await acme.owner.post(`${path}/test`)).body.works).toBe(true);
  });
});

test('the amount of a link is more than nothing and at most what is due', async () => {
  const acme = await shop('stripe');
  const { url } = await acme.order();
  const problem = async (amount: unknown, to = url) =>
    (await acme.owner.post(`${to}/payment-link`, { amount })).body.errors?.amount?.[0];
  expect(await problem('500.01')).toBe('The amount must be at most 500.00, which is due.');
  expect(await problem('0')).toBe('The amount must be more than 0.');
  expect(await problem('1.001')).toBe('An amount in INR has at most 2 decimals.');
  expect(await problem('-1')).toBeDefined();
  const free = await acme.order({ items: [{ name: 'Gift', quantity: 1, price: '0' }] });
  expect(await problem(undefined, free.url)).toBe('Nothing is due: the order is paid.');
  const dinar = await acme.order({ currency: 'KWD', items: [{ name: 'Tea', quantity: 1, price: '5.125' }] });
  expect(await problem(undefined, dinar.url)).toBe('Stripe charges KWD in steps of 0.01.');
});

test.each([
  ['JPY', '750', 750],
  ['KWD', '5.12', 5_120],
  ['ISK', '750', 75_000],
  ['USD', '7.5', 750],
])('Stripe gets %s %s as %i', async (currency, price, units) => {
  const acme = await shop('stripe');
  const { served } = await acme.linkedOrder({ currency, items: [{ name: 'Tea', quantity: 1, price }] });
  expect(served.amount).toBe(units);
});

test('closed orders, unknown orders and shops without a provider get no link', async () => {
  const acme = await shop('stripe');
  const { url } = await acme.order();
  const post = (path: string) => acme.owner.post(`${path}/payment-link`);
  await acme.owner.post(`${url}/cancel`);
  expect(await post(url)).toMatchObject({ status: 409, body: { code: 'payments.order_closed' } });
  expect((await post(`/api/v1/orders/${crypto.randomUUID()}`)).status).toBe(404);
  const { url: open } = await acme.order();
  await acme.owner.delete('/api/v1/payments/providers/stripe');
  expect(await post(open)).toMatchObject({ status: 409, body: { code: 'payments.not_configured' } });
  await acme.owner.patch('/api/v1/settings', { 'payments.provider': 'none' });
  expect(await post(open)).toMatchObject({ status: 409, body: { code: 'payments.not_configured' } });
});

test('keys of a new account must be complete', async () => {
  const tenant = await platform.tenant();
  const owner = await platform.person({ tenant });
  const save = async (provider: string, keys: object) =>
    Object.keys((await owner.put(`/api/v1/payments/providers/${provider}`, keys)).body.errors ?? {}).sort();
  expect(await save('stripe', {})).toEqual(['secret_key', 'webhook_secret']);
  expect(await save('stripe', { key_id: 'rzp_test_1', secret_key: 'pk_test_1', webhook_secret: 'x' })).toEqual([
    'key_id',
    'secret_key',
  ]);
  expect(await save('razorpay', { webhook_secret: 'x' })).toEqual(['key_id', 'secret_key']);
  expect(await save('razorpay', servers.razorpay.keys)).toEqual([]);
  expect(await save('razorpay', { key_id: 'rzp_live_2' })).toEqual(['secret_key']);
  expect((await owner.put('/api/v1/payments/providers/paypal', {})).status).toBe(422);
});
