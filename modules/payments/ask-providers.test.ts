import { sql } from '@chowk/kit';
import { beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../server/testing/eventually.ts';
import { type PaymentShop, startPaymentPlatform } from '../../server/testing/payment-shop.ts';
import { jobs } from './jobs.ts';

const { servers, shop } = await startPaymentPlatform();

beforeEach(() => {
  for (const server of Object.values(servers)) {
    Object.assign(server, { lost: 0, refundsArePending: false }).failures.length = 0;
  }
});

const ask = ({ tenant }: PaymentShop) => jobs['payments.ask_providers'].run(tenant.context('payments'), {});

/** Makes everything that many minutes older. */
async function age({ tenant }: PaymentShop, minutes: number): Promise<void> {
  const earlier = sql`- make_interval(mins => ${minutes})`;
  await tenant.db.run(
    sql`UPDATE payment_links SET created_at = created_at ${earlier}, expires_at = expires_at ${earlier}`,
  );
  await tenant.db.run(sql`UPDATE payment_link_checks SET checked_at = checked_at ${earlier}`);
  await tenant.db.run(
    sql`UPDATE payment_refunds SET created_at = created_at ${earlier}, checked_at = checked_at ${earlier}`,
  );
}

describe.each(['stripe', 'razorpay'] as const)('with %s', (provider) => {
  const server = servers[provider];

  test('a link that was paid is paid although the callback is lost, and a late callback changes nothing', async () => {
    const acme = await shop(provider);
    const { id, url, served } = await acme.linkedOrder();
    served.status = 'paid';
    expect(await ask(acme)).toEqual({ links: 0, refunds: 0 });
    await age(acme, 11);
    const answers = await Promise.all([
      ask(acme),
      ask(acme),
      acme.deliver(server.linkEvent('paid', served)),
      ask(acme),
    ]);
    expect(answers[2]).toMatchObject({ status: 200 });
    await acme.deliver(server.linkEvent('paid', served, { at: new Date(Date.now() + 1_000) }));
    const payments = await acme.tenant.db.rows(sql`
      SELECT amount::text, status, provider_payment_id FROM order_payments WHERE order_id = ${id}`);
    expect(payments).toEqual([{ amount: '500.00', status: 'succeeded', provider_payment_id: served.paymentId }]);
    expect((await acme.owner.get(url)).body.order).toMatchObject({ paid_total: '500.00', payment_status: 'paid' });
    expect((await acme.owner.get(`${url}/payment-links`)).body.payment_links).toMatchObject([{ status: 'paid' }]);
    await age(acme, 60);
    expect(await ask(acme)).toEqual({ links: 0, refunds: 0 });
  });

  test('an open link is asked for ever more rarely, and once after it has expired', async () => {
    const acme = await shop(provider);
    const { url, link, served } = await acme.linkedOrder();
    const minutesLeft = Math.ceil((Date.parse(link.expires_at) - Date.now()) / 60_000);
    const asked = async (minutes: number) => {
      await age(acme, minutes);
      return ((await ask(acme)) as { links: number }).links;
    };
    expect([await asked(11), await asked(9), await asked(2), await asked(9)]).toEqual([1, 0, 1, 0]);
    const status = async () => (await acme.owner.get(`${url}/payment-links`)).body.payment_links[0].status;
    expect(await status()).toBe('open');
    served.status = 'expired';
    expect([await asked(minutesLeft), await status()]).toEqual([1, 'expired']);
    expect([await asked(60), await asked(600)]).toEqual([0, 0]);
  });

  test('a payment of the last moment counts, also if the link has expired here', async () => {
    const acme = await shop(provider);
    const { url, served } = await acme.linkedOrder();
    served.status = 'paid';
    await age(acme, 5);
    await acme.tenant.db.run(
      sql`UPDATE payment_links SET status = 'expired', expires_at = now() - interval '1 minute'`,
    );
    expect(await ask(acme)).toMatchObject({ links: 1 });
    expect((await acme.owner.get(url)).body.order).toMatchObject({ payment_status: 'paid' });
  });

  test('a provider that is not available, or has no such link, is asked again later', async () => {
    const acme = await shop(provider);
    const { url, served } = await acme.linkedOrder();
    served.status = 'paid';
    for (const failure of [503, 400]) {
      await age(acme, 11);
      server.failures.push(failure);
      expect(await ask(acme)).toMatchObject({ links: 1 });
      expect((await acme.owner.get(url)).body.order).toMatchObject({ payment_status: 'unpaid' });
    }
    await age(acme, 11);
    await ask(acme);
    expect((await acme.owner.get(url)).body.order).toMatchObject({ payment_status: 'paid' });
  });

  async function pendingRefund() {
    const acme = await shop(provider);
    const { id, url, served } = await acme.linkedOrder();
    await acme.deliver(server.linkEvent('paid', served));
    server.refundsArePending = true;
    await acme.owner.post(`${url}/refund`, { amount: '100' });
    const made = await eventually(async () => {
      expect(await acme.tenant.db.rows(sql`SELECT FROM payment_refunds`)).toHaveLength(1);
      return [...server.refunds.values()].find(({ paymentId }) => paymentId === served.paymentId) as NonNullable<
        ReturnType<typeof server.refunds.get>
      >;
    });
    const refunds = () =>
      acme.tenant.db.rows(sql`SELECT status, provider_refund_id FROM order_refunds WHERE order_id = ${id}`);
    return { acme, id, url, made, refunds };
  }

  test('a refund that was made is settled although the callback is lost, once', async () => {
    const { acme, made, refunds, url } = await pendingRefund();
    await age(acme, 11);
    expect(await ask(acme)).toMatchObject({ refunds: 1 });
    expect(await refunds()).toEqual([{ status: 'pending', provider_refund_id: null }]);
    made.status = 'succeeded';
    await age(acme, 20);
    await Promise.all([ask(acme), acme.deliver(server.refundEvent(made, 'succeeded')), ask(acme)]);
    expect(await refunds()).toEqual([{ status: 'succeeded', provider_refund_id: made.id }]);
    expect((await acme.owner.get(url)).body.order).toMatchObject({ refunded_total: '100.00' });
    await age(acme, 600);
    expect(await ask(acme)).toMatchObject({ refunds: 0 });
  });

  test.each(['answer', 'callback'])('the owner learns once from the %s that a refund failed', async (source) => {
    const { acme, made, refunds, url } = await pendingRefund();
    made.status = 'failed';
    await age(acme, 11);
    if (source === 'callback') await acme.deliver(server.refundEvent(made, 'failed'));
    await ask(acme);
    await acme.deliver(server.refundEvent(made, 'failed'));
    expect(await refunds()).toMatchObject([{ status: 'failed' }]);
    expect((await acme.owner.get(url)).body.order).toMatchObject({ refunded_total: '0.00' });
    const { notifications } = (await acme.owner.get('/api/v1/notifications?type=payment.refund_failed')).body;
    expect(notifications).toHaveLength(1);
  });

  test('the refund of a deleted order is not asked for again', async () => {
    const { acme, made, url } = await pendingRefund();
    await acme.owner.delete(url);
    made.status = 'succeeded';
    await age(acme, 11);
    expect(await ask(acme)).toMatchObject({ refunds: 1 });
    expect(await acme.tenant.db.rows(sql`SELECT FROM payment_refunds`)).toEqual([]);
  });
});

test('a bank that confirms later pays the link of Stripe, also without a callback', async () => {
  const acme = await shop('stripe');
  const { id, url, served } = await acme.linkedOrder();
  const found = async (status: typeof served.status) => {
    served.status = status;
    await age(acme, 60);
    await ask(acme);
    const [payment] = await acme.tenant.db.rows<{ status: string }>(
      sql`SELECT status FROM order_payments WHERE order_id = ${id}`,
    );
    const [link] = (await acme.owner.get(`${url}/payment-links`)).body.payment_links;
    return [link.status, payment?.status];
  };
  expect(await found('processing')).toEqual(['processing', 'pending']);
  expect(await found('paid')).toEqual(['paid', 'succeeded']);
});
