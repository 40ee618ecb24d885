import { sql } from '@chowk/kit';
import { beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../server/testing/eventually.ts';
import type { PaymentShop } from '../../server/testing/payment-shop.ts';
import { startPaymentPlatform } from '../../server/testing/payment-shop.ts';
import { jobs } from './jobs.ts';

const { servers, shop } = await startPaymentPlatform();
const shops = { stripe: await shop('stripe'), razorpay: await shop('razorpay') };

beforeEach(() => {
  for (const server of Object.values(servers)) {
    Object.assign(server, { lost: 0, refundsArePending: false }).failures.length = 0;
  }
});

const payments = ({ tenant }: PaymentShop, id: string) =>
  tenant.db.rows<{ amount: string; status: string }>(
    sql`SELECT amount::text, excess::text, status, provider_payment_id FROM order_payments WHERE order_id = ${id}`,
  );
const events = ({ tenant }: PaymentShop) =>
  tenant.db.rows<{ type: string; result: string }>(sql`SELECT type, result FROM payment_events ORDER BY received_at`);
const readLink = async ({ owner }: PaymentShop, url: string) =>
  (await owner.get(`${url}/payment-links`)).body.payment_links[0];

describe.each(['stripe', 'razorpay'] as const)('with %s', (provider) => {
  const server = servers[provider];
  const acme = shops[provider];

  test('five deliveries of an event, at the same time, pay once', async () => {
    const { id, url, served } = await acme.linkedOrder();
    const event = server.linkEvent('paid', served);
    const responses = await Promise.all(Array.from({ length: 5 }, () => acme.deliver(event)));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(await payments(acme, id)).toMatchObject([{ status: 'succeeded', provider_payment_id: served.paymentId }]);
    const { order } = (await acme.owner.get(url)).body;
    expect(order).toMatchObject({ payment_status: 'paid', paid_total: '500.00', due_total: '0.00' });
    expect(await readLink(acme, url)).toMatchObject({ status: 'paid', paid_at: expect.any(String), failure: null });
  });

  test('an event that could not be applied leaves nothing behind, and is applied when it is repeated', async () => {
    const { id, url, served } = await acme.linkedOrder();
    const event = server.linkEvent('paid', served);
    const { db } = acme.tenant;
    await db.run(
      sql`CREATE FUNCTION fail_update() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''full''; END'`,
    );
    await db.run(sql`CREATE TRIGGER fail BEFORE UPDATE ON payment_links FOR EACH ROW EXECUTE FUNCTION fail_update()`);
    expect((await acme.deliver(event)).status).toBe(500);
    expect(await payments(acme, id)).toEqual([]);
    await db.run(sql`DROP FUNCTION fail_update CASCADE`);
    expect((await acme.deliver(event)).status).toBe(200);
    expect((await acme.owner.get(url)).body.order).toMatchObject({ payment_status: 'paid' });
  });

  test('different events about one payment, out of order, pay once', async () => {
    const { id, url, served } = await acme.linkedOrder();
    // With other times the events are different ones.
    const later = new Date(Date.now() + 60_000);
    const all = [
      server.linkEvent('expired', served),
      server.linkEvent('paid', served),
      server.linkEvent('attempt_failed', served),
      server.linkEvent('paid', served, { at: later }),
      server.linkEvent('expired', served, { at: later }),
    ];
    for (const event of all) expect((await acme.deliver(event)).status).toBe(200);
    expect(await payments(acme, id)).toHaveLength(1);
    expect(await readLink(acme, url)).toMatchObject({ status: 'paid', failure: null });
  });

  test('an attempt that failed leaves the link open with the reason, an expired link is closed', async () => {
    const { url, served } = await acme.linkedOrder();
    await acme.deliver(server.linkEvent('attempt_failed', served));
    expect(await readLink(acme, url)).toMatchObject({ status: 'open', failure: expect.stringMatching(/declined/) });
    await acme.deliver(server.linkEvent('expired', served));
    expect(await readLink(acme, url)).toMatchObject({ status: 'expired' });
    expect((await acme.owner.get(url)).body.order).toMatchObject({ payment_status: 'unpaid' });
  });

  test('a forged, changed or unsigned event is refused and changes nothing', async () => {
    const { id, served } = await acme.linkedOrder();
    const good = server.linkEvent('paid', served);
    const before = (await events(acme)).length;
    const changed = { ...good, payload: good.payload.replace('50000', '90000') };
    const unsigned = { payload: good.payload, headers: { 'content-type': 'application/json' } };
    const forged = server.linkEvent('paid', served, { secret: 'guessed' });
    for (const event of [changed, unsigned, forged, server.sign('not JSON')]) {
      const { status, body } = await acme.deliver(event);
      expect({ status, code: body.code }).toEqual({ status: 400, code: 'payments.bad_signature' });
    }
    expect(await payments(acme, id)).toEqual([]);
    expect(await events(acme)).toHaveLength(before);
  });

  test('the event of another tenant pays nothing there', async () => {
    const other = await shop(provider);
    const { id, served } = await acme.linkedOrder();
    const event = server.linkEvent('paid', served);
    expect((await acme.deliver(event, `${other.tenant.id}.localhost`)).status).toBe(200);
    expect(await events(other)).toMatchObject([{ result: 'ignored: no link' }]);
    expect(await payments(acme, id)).toEqual([]);
  });

  test('events about unknown links, deleted orders and other currencies are recorded and accepted', async () => {
    const own = await shop(provider);
    const { served } = await own.linkedOrder();
    const unknown = { ...served, id: 'unknown_1', reference: crypto.randomUUID() };
    await own.deliver(server.linkEvent('paid', unknown));
    await own.deliver(server.linkEvent('paid', served, { currency: 'EUR' }));
    const deleted = await own.linkedOrder();
    await own.owner.delete(deleted.url);
    for (let round = 0; round < 2; round += 1) {
      const event = server.linkEvent('paid', deleted.served);
      expect((await own.deliver(event)).status).toBe(200);
    }
    const results = (await events(own)).map(({ result }) => result);
    expect(results.slice(0, 3)).toEqual([
      'ignored: no link',
      'ignored: paid in EUR',
      expect.stringMatching(/^ignored/),
    ]);
  });

  test('what is paid beyond the due amount is kept as excess', async () => {
    const { id, url, served } = await acme.linkedOrder();
    const items = [{ name: 'Tea', quantity: 1, price: '250' }];
    expect((await acme.owner.patch(url, { items })).body.order.total).toBe('250.00');
    await acme.deliver(server.linkEvent('paid', served));
    expect(await payments(acme, id)).toMatchObject([{ amount: '500.00', excess: '250.00' }]);
    expect((await acme.owner.get(url)).body.order).toMatchObject({ paid_total: '250.00', payment_status: 'paid' });
  });

  test('for a day after it is replaced, the webhook secret before is accepted too', async () => {
    const own = await shop(provider);
    const { id, served } = await own.linkedOrder();
    await own.owner.put(`/api/v1/payments/providers/${provider}`, { webhook_secret: 'a-new-secret' });
    expect((await own.deliver(server.linkEvent('paid', served))).status).toBe(200);
    expect(await payments(own, id)).toHaveLength(1);
    const second = await own.linkedOrder();
    await own.tenant.db.run(
      sql`UPDATE payment_accounts SET previous_webhook_secret_expires_at = now() - interval '1 second'`,
    );
    expect((await own.deliver(server.linkEvent('paid', second.served))).status).toBe(400);
    expect((await own.deliver(server.linkEvent('paid', second.served, { secret: 'a-new-secret' }))).status).toBe(200);
  });

  test('a body of more than 256 KB is refused', async () => {
    const event = server.sign(JSON.stringify({ text: 'x'.repeat(270_000) }));
    expect((await acme.deliver(event)).status).toBe(413);
  });

  const refunds = (shop: PaymentShop, id: string) =>
    shop.tenant.db.rows<{ id: string; status: string }>(
      sql`SELECT id, status, provider_refund_id FROM order_refunds WHERE order_id = ${id} ORDER BY created_at`,
    );

  async function paidOrder() {
    const order = await acme.linkedOrder();
    await acme.deliver(server.linkEvent('paid', order.served));
    return order;
  }

  test('a refund is made at the provider once, although the first response is lost', async () => {
    const { id, url, served } = await paidOrder();
    server.lost = 1;
    expect((await acme.owner.post(`${url}/refund`, { amount: '120.50' })).status).toBe(200);
    const [{ id: refundId }] = (await eventually(async () => {
      expect(server.lost).toBe(0);
      return refunds(acme, id);
    })) as [{ id: string; status: string }];
    const order = { order_id: id, order_number: '1', currency: 'INR', payment_id: served.paymentId };
    const retry = { ...order, id: refundId, provider, amount: '120.50', attempt: 1 };
    await jobs['payments.refund'].run(acme.tenant.context('payments'), retry);
    const made = [...server.refunds.values()].filter(({ paymentId }) => paymentId === served.paymentId);
    expect(made).toMatchObject([{ amount: 12_050, reference: refundId }]);
    expect(await refunds(acme, id)).toMatchObject([{ status: 'succeeded', provider_refund_id: made[0]?.id }]);
  });

  test('a refund that the provider makes later is settled by its callback', async () => {
    const { id, url, served } = await paidOrder();
    server.refundsArePending = true;
    await acme.owner.post(`${url}/refund`, { amount: '100' });
    const made = await eventually(async () => {
      const found = [...server.refunds.values()].find(({ paymentId }) => paymentId === served.paymentId);
      expect(found).toBeDefined();
      return found as NonNullable<typeof found>;
    });
    expect(await refunds(acme, id)).toMatchObject([{ status: 'pending' }]);
    await acme.deliver(server.refundEvent(made, 'succeeded'));
    expect(await refunds(acme, id)).toMatchObject([{ status: 'succeeded', provider_refund_id: made.id }]);
  });

  test('a refund that the provider refuses fails, and the owner is notified', async () => {
    const { id, url } = await paidOrder();
    server.failures.push(400);
    await acme.owner.post(`${url}/refund`, { amount: '100' });
    await eventually(async () => expect(await refunds(acme, id)).toMatchObject([{ status: 'failed' }]));
    const { notifications } = (await acme.owner.get('/api/v1/notifications?type=payment.refund_failed')).body;
    expect(notifications).toMatchObject([{ severity: 'error', action_url: `/orders/${id}`, data: { order_id: id } }]);
  });

  test('a refund fails when the provider was not available for nine hours', async () => {
    const { id, url, served } = await paidOrder();
    server.failures.push(503);
    await acme.owner.post(`${url}/refund`, { amount: '100' });
    const [refund] = (await eventually(async () => {
      expect(server.failures).toEqual([]);
      return refunds(acme, id);
    })) as [{ id: string; status: string }];
    expect(refund.status).toBe('pending');
    const order = { order_id: id, order_number: '1', currency: 'INR', payment_id: served.paymentId };
    server.failures.push(503);
    const last = { ...order, id: refund.id, provider, amount: '100', attempt: 6 };
    await jobs['payments.refund'].run(acme.tenant.context('payments'), last);
    expect(await refunds(acme, id)).toMatchObject([{ status: 'failed' }]);
  });
});

describe('with Stripe', () => {
  const server = servers.stripe;
  const acme = shops.stripe;

  test('a signature is valid for five minutes', async () => {
    const { id, served } = await acme.linkedOrder();
    const signedAt = (seconds: number) =>
      acme.deliver(server.linkEvent('paid', served, { at: new Date(Date.now() + seconds * 1_000) }));
    expect((await signedAt(-301)).status).toBe(400);
    expect((await signedAt(302)).status).toBe(400);
    expect(await payments(acme, id)).toEqual([]);
    expect((await signedAt(-299)).status).toBe(200);
    expect(await payments(acme, id)).toHaveLength(1);
  });

  test('a bank that confirms later pays once, in whichever order its events arrive', async () => {
    const first = await acme.linkedOrder();
    const begin = ({ served }: typeof first) => server.sessionEvent('completed', served, { payment_status: 'unpaid' });
    const end = ({ served }: typeof first) => server.sessionEvent('async_payment_succeeded', served);
    await acme.deliver(begin(first));
    expect(await readLink(acme, first.url)).toMatchObject({ status: 'processing' });
    expect(await payments(acme, first.id)).toMatchObject([{ status: 'pending' }]);
    expect((await acme.owner.post(`${first.url}/payment-link`)).body.link.id).toBe(first.link.id);
    await acme.deliver(end(first));
    const second = await acme.linkedOrder();
    await acme.deliver(end(second));
    await acme.deliver(begin(second));
    for (const { id, url } of [first, second]) {
      expect(await readLink(acme, url)).toMatchObject({ status: 'paid' });
      expect(await payments(acme, id)).toMatchObject([{ status: 'succeeded' }]);
    }
  });

  test('a bank that refuses later closes the link', async () => {
    const { id, url, served } = await acme.linkedOrder();
    await acme.deliver(server.sessionEvent('completed', served, { payment_status: 'unpaid' }));
    await acme.deliver(server.sessionEvent('async_payment_failed', served, { payment_status: 'unpaid' }));
    expect(await readLink(acme, url)).toMatchObject({ status: 'failed' });
    expect(await payments(acme, id)).toMatchObject([{ status: 'failed' }]);
    expect((await acme.owner.get(url)).body.order.payment_status).toBe('unpaid');
  });
});

test('an event of Razorpay is accepted for two days', async () => {
  const acme = await shop('razorpay');
  const { served } = await acme.linkedOrder();
  const at = new Date(Date.now() - 49 * 3_600_000);
  expect((await acme.deliver(servers.razorpay.linkEvent('paid', served, { at }))).status).toBe(400);
});

test('the page after a payment names the shop and nothing else', async () => {
  const { owner, tenant } = await shop('stripe');
  const { headers, status } = await owner.get('/api/v1/payments/thanks', { 'x-tenant': tenant.id });
  expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'text/html; charset=utf-8' });
});

test('events are deleted after ninety days', async () => {
  const acme = await shop('stripe');
  const { served } = await acme.linkedOrder();
  await acme.deliver(servers.stripe.linkEvent('paid', served));
  const prune = () => jobs['payments.prune_events'].run(acme.tenant.context('payments'), {});
  expect(await prune()).toEqual({ deleted: 0 });
  await acme.tenant.db.run(sql`UPDATE payment_events SET received_at = now() - interval '91 days'`);
  expect(await prune()).toEqual({ deleted: 1 });
});
