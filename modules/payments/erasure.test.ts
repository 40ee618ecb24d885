import { sql } from '@chowk/kit';
import { beforeEach, expect, test } from 'vitest';
import { eventually } from '../../server/testing/eventually.ts';
import { startPaymentPlatform } from '../../server/testing/payment-shop.ts';
import { jobs } from './jobs.ts';

const { platform, servers, shop } = await startPaymentPlatform();
const acme = await shop('stripe');
const { tenant, owner } = acme;
const { db } = tenant;
await owner.post('/api/v1/discounts', { code: 'TENTH', kind: 'percent', value: '10' });

let secret: string;
beforeEach(() => {
  secret = `zanzibar${crypto.randomUUID().slice(0, 8)}`;
});

/** A customer with data in all tables of the trade, whose texts contain the secret. */
async function someone() {
  const address = { first_name: secret, address1: secret, city: secret, tax_number: secret };
  const { id, url, link, served } = await acme.linkedOrder({
    customer: { first_name: secret, email: `${secret}@example.com` },
    shipping_address: address,
    billing_address: address,
    note: secret,
    metadata: { gift: secret },
    discount_codes: ['TENTH'],
    payments: [{ method: 'cash', amount: 100 }],
  });
  await db.run(sql`UPDATE payment_links SET failure = ${secret} WHERE id = ${link.id}`);
  const order = (await owner.get(url)).body.order;
  const customerId = order.customer_id as string;
  const tracking = { tracking_number: secret, tracking_url: `https://track.example/${secret}` };
  const shipped = { ...tracking, items: [{ item_id: order.items[0].id, quantity: 1 }] };
  expect((await owner.post(`${url}/shipments`, shipped)).status).toBe(201);
  expect((await owner.post(`${url}/refund`, { amount: 10, reason: secret })).status).toBe(200);
  const draft = {
    customer_id: customerId,
    items: [{ name: 'Tea', quantity: 1, price: 1 }],
    note: secret,
    billing_address: address,
  };
  expect((await owner.post('/api/v1/draft-orders', draft)).status).toBe(201);
  expect((await owner.put(`/api/v1/tax-exemptions/${customerId}`, { reason: secret })).status).toBe(200);
  return { customerId, orderId: id, link, served };
}

async function tablesWith(text: string): Promise<string[]> {
  await platform.kernel.audit.flush();
  const tables = await db.rows<{ name: string }>(sql`
    SELECT table_name::text AS name FROM information_schema.tables
    WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1`);
  const found: string[] = [];
  for (const { name } of tables) {
    const row = await db.row<{ there: boolean }>(sql`
      SELECT query_to_xml(format('SELECT 1 FROM %I t WHERE t::text ILIKE %L LIMIT 1', ${name}::text, ${`%${text}%`}::text),
        false, false, '')::text LIKE '%row%' AS there`);
    if (row?.there) found.push(name);
  }
  return found;
}

const erase = async (id: string, mode: string) =>
  expect((await owner.delete(`/api/v1/customers/${id}?mode=${mode}`)).status).toBe(200);

test('the export of a customer has everything of its orders, drafts, codes, taxes and payment links', async () => {
  const { customerId, orderId, link } = await someone();
  const { data } = (await owner.get(`/api/v1/customers/${customerId}/export`)).body;
  const named = { first_name: secret };
  expect(data).toMatchObject({
    orders: {
      orders: [
        { id: orderId, contact: named, billing_address: named, shipping_address: named, metadata: { gift: secret } },
      ],
      order_refunds: [{ amount: '10.00', reason: secret }],
      order_shipments: [{ tracking_number: secret, tracking_url: `https://track.example/${secret}` }],
      order_payments: [{ method: 'cash', amount: '100.00' }],
      draft_orders: [{ input: { note: secret, billing_address: named } }],
    },
    pricing: { tax_exemptions: [{ reason: secret }], discount_redemptions: [{ order_id: orderId }] },
    payments: { payment_links: [{ id: link.id, url: link.url, status: 'open' }] },
  });
});

test('anonymizing a customer leaves nothing of it in the trade, and keeps the amounts', async () => {
  const { customerId, orderId, link, served } = await someone();
  await erase(customerId, 'anonymize');
  // Mails and jobs that are under way finish with what they have.
  await eventually(async () => expect(await tablesWith(secret)).toEqual([]));
  const kept = await db.row(sql`
    SELECT o.total, o.paid_total, o.refunded_total, o.contact, o.billing_address, o.metadata,
      (SELECT count(*) FROM draft_orders d WHERE d.customer_id = o.customer_id) AS drafts,
      (SELECT count(*) FROM tax_exemptions t WHERE t.customer_id = o.customer_id) AS exemptions,
      (SELECT count(*) FROM discount_redemptions u WHERE u.order_id = o.id) AS codes,
      (SELECT reason FROM order_refunds WHERE order_id = o.id) AS reason,
      (SELECT tracking_url FROM order_shipments WHERE order_id = o.id) AS tracking
    FROM orders o WHERE id = ${orderId}`);
  expect(kept).toEqual({
    total: '450.00',
    paid_total: '100.00',
    refunded_total: '10.00',
    contact: null,
    billing_address: null,
    metadata: {},
    drafts: 0,
    exemptions: 0,
    codes: 1,
    reason: null,
    tracking: null,
  });
  const { payment_links } = (await owner.get(`/api/v1/orders/${orderId}/payment-links`)).body;
  expect(payment_links).toMatchObject([{ id: link.id, url: null, failure: null, status: 'cancelled' }]);
  await eventually(() => expect(served.status).toBe('cancelled'));
});

test('erasing a customer with all data leaves no row of it, also of links of before that do not name it', async () => {
  const { customerId, orderId, link, served } = await someone();
  await db.run(sql`UPDATE payment_links SET customer_id = NULL WHERE id = ${link.id}`);
  await erase(customerId, 'hard');
  await eventually(async () => expect(await tablesWith(secret)).toEqual([]));
  const trade = /^(customer|order|draft|discount|tax|payment)/;
  for (const id of [customerId, orderId, link.id]) {
    expect((await tablesWith(id)).filter((table) => trade.test(table))).toEqual([]);
  }
  await eventually(() => expect(served.status).toBe('cancelled'));
});

test('a merge takes links along, and a job names the customer of those of before', async () => {
  const { id, url, link } = await acme.linkedOrder();
  await db.run(sql`UPDATE payment_links SET customer_id = NULL WHERE id = ${link.id}`);
  const context = tenant.context('payments');
  await jobs['payments.fill_customers'].run(context, {});
  const customerOf = async () =>
    (await db.row<{ customer_id: string }>(sql`SELECT customer_id FROM payment_links WHERE order_id = ${id}`))
      ?.customer_id;
  const { customer_id: secondary_id } = (await owner.get(url)).body.order;
  expect(await customerOf()).toBe(secondary_id);
  const primary_id = (await owner.post('/api/v1/customers', { first_name: 'Other' })).body.customer.id;
  await owner.post('/api/v1/customers/merge', { primary_id, secondary_id });
  expect(await customerOf()).toBe(primary_id);
  expect(servers.stripe.links.size).toBeGreaterThan(0);
});
