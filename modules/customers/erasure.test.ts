import { afterCommit, sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';
import { buildOrder, withShop } from '../../server/testing/shop-module.ts';
import { testModule } from '../../server/testing/test-module.ts';

/** Nothing delivers its events here: they wait in the tenant's database. */
const later = testModule({ alias: 'later', listeners: [afterCommit('*', 'wait', async () => {})] });
const platform = await startPlatform({ modules: [...(await withShop()), later] });
const acme = await platform.tenant();
const rights = ['view', 'create', 'edit', 'delete', 'merge', 'view_sensitive', 'export'].map(
  (verb) => `customers.${verb}`,
);
const merchant = acme.caller(...rights, 'orders.create', 'orders.edit', 'orders.refund', 'shop.use');

let sequence = 0;
/** A text that occurs nowhere else in the tenant's database. */
const secretText = (number: number) => `Zanzibar${number}`;

/** A customer with data in every module. */
async function someone() {
  sequence += 1;
  const secret = secretText(sequence);
  const { body } = await merchant.post('/api/v1/customers', {
    email: `${secret}@example.com`,
    phone: `+9196${String(sequence).padStart(8, '0')}`,
    first_name: secret,
    last_name: secret,
    notes: secret,
    tags: [secret],
    external_ids: { shopify: secret },
    accepts_marketing: true,
  });
  const { id } = body.customer;
  await merchant.post(`/api/v1/customers/${id}/addresses`, { address1: secret, city: secret, company: secret });
  await merchant.post('/api/v1/shop/ask/setMetadata', { customer_id: id, key: 'size', value: secret });
  const shipping_address = { address1: secret, city: secret };
  const { body: taken } = await merchant.post('/api/v1/orders', buildOrder({ id }, '12.50', { shipping_address }));
  const orderId = taken.order.id;
  await merchant.post(`/api/v1/orders/${orderId}/status`, { status: 'confirmed', reason: secret });
  await merchant.post(`/api/v1/orders/${orderId}/payments`, { method: 'upi', reference: 'UTR 42' });
  await merchant.post(`/api/v1/orders/${orderId}/refund`, { amount: 1, reason: secret });
  return { id: id as string, secret, orderId: orderId as string, phone: body.customer.phone as string };
}

const erase = ({ id }: { id: string }, mode?: string) =>
  merchant.delete(`/api/v1/customers/${id}${mode === undefined ? '' : `?mode=${mode}`}`);
const show = ({ id }: { id: string }) => merchant.get(`/api/v1/customers/${id}`);

/** The tables of the tenant that contain the text or the id, except the event log of the test module. */
async function tablesWith(text: string, except = 'shop_events'): Promise<string[]> {
  await platform.kernel.audit.flush();
  const tables = await acme.db.rows<{ name: string }>(sql`
    SELECT table_name::text AS name FROM information_schema.tables
    WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND table_name <> 'shop_events' AND table_name <> ${except} ORDER BY 1`);
  const found: string[] = [];
  for (const { name } of tables) {
    const row = await acme.db.row<{ there: boolean }>(sql`
      SELECT query_to_xml(format('SELECT 1 FROM %I t WHERE t::text ILIKE %L LIMIT 1', ${name}::text, ${`%${text}%`}::text),
        false, false, '')::text LIKE '%row%' AS there`);
    if (row?.there) found.push(name);
  }
  return found;
}

/** Pending events keep ids and no other data about an erased customer. */
const tablesWithId = (id: string) => tablesWith(id, 'event_deliveries');

/** The audit log keeps ids and no other data about a customer. */
const auditLog = 'module_bus_audit_log';
/** They keep the ids. */
const logs = ['event_log', auditLog];

const deletionEvents = ({ id }: { id: string }) =>
  acme.db.rows(
    sql`SELECT payload FROM shop_events WHERE name = 'customer.deleted' AND payload ->> 'id' = ${id} ORDER BY seq`,
  );

test('a deleted customer is hidden, and its email and phone can be used again', async () => {
  const customer = await someone();
  expect(await erase(customer)).toMatchObject({ status: 200, body: { message: 'Customer deleted.' } });
  const { email, phone } = { email: `${customer.secret}@example.com`.toLowerCase(), phone: customer.phone };
  for (const answer of await Promise.all([show(customer), erase(customer), erase(customer, 'soft')])) {
    expect(answer).toMatchObject({ status: 404, body: { code: 'customers.not_found' } });
  }
  expect(await deletionEvents(customer)).toEqual([{ payload: { id: customer.id, mode: 'soft' } }]);
  expect((await merchant.post('/api/v1/customers', { email, phone })).status).toBe(201);
  expect(await tablesWith(customer.secret)).toContain('customer_addresses');
});

test('anonymizing removes all personal data and keeps orders and statistics', async () => {
  const customer = await someone();
  expect(await tablesWith(customer.secret, 'event_deliveries')).toEqual([
    'customer_addresses',
    'customer_metadata',
    'customers',
    'event_log',
    'order_history',
    'order_refunds',
    'orders',
  ]);
  const { status, body } = await erase(customer, 'anonymize');
  expect({ status, body }).toEqual({
    status: 200,
    body: { message: 'Customer anonymized. Orders and statistics are kept.' },
  });
  expect(await tablesWith(customer.secret)).toEqual([]);
  expect((await show(customer)).body.customer).toMatchObject({
    id: customer.id,
    email: null,
    phone: null,
    first_name: null,
    last_name: null,
    notes: null,
    tags: [],
    external_ids: {},
    accepts_marketing: false,
    anonymized_at: expect.any(String),
    addresses: [],
    metadata: [],
    total_orders: 1,
    total_spent: '12.50',
  });
  const order = await acme.db.row(sql`
    SELECT o.customer_id, o.total, o.note, o.shipping_address, h.status, h.reason, i.name
    FROM orders o JOIN order_history h ON h.order_id = o.id JOIN order_items i ON i.order_id = o.id
    WHERE o.id = ${customer.orderId}`);
  expect(order).toEqual({
    customer_id: customer.id,
    total: '12.50',
    note: null,
    shipping_address: null,
    status: 'pending',
    reason: null,
    name: 'Tea',
  });
  expect(await deletionEvents(customer)).toEqual([{ payload: { id: customer.id, mode: 'anonymize' } }]);
});

test('erasing one customer does not affect others', async () => {
  const [kept, one, other] = [await someone(), await someone(), await someone()];
  const before = (await merchant.get(`/api/v1/customers/${kept.id}/export`)).body;
  await erase(one, 'anonymize');
  await erase(other, 'hard');
  const after = (await merchant.get(`/api/v1/customers/${kept.id}/export`)).body;
  expect(after).toEqual({ ...before, exported_at: after.exported_at });
});

test('an anonymized customer can be changed, order again and be anonymized again', async () => {
  const customer = await someone();
  await erase(customer, 'anonymize');
  expect((await merchant.patch(`/api/v1/customers/${customer.id}`, { tags: ['back'] })).status).toBe(200);
  await merchant.post(`/api/v1/customers/${customer.id}/addresses`, { address1: customer.secret });
  const shipping_address = { city: customer.secret };
  await merchant.post('/api/v1/orders', buildOrder({ id: customer.id }, '1.00', { shipping_address }));
  expect(await tablesWith(customer.secret)).toEqual(['customer_addresses', 'event_deliveries', 'event_log', 'orders']);
  expect((await erase(customer, 'anonymize')).status).toBe(200);
  expect(await tablesWith(customer.secret)).toEqual([]);
  expect((await show(customer)).body.customer).toMatchObject({ tags: [], total_orders: 2 });
});

test('hard deletion leaves no row in any module', async () => {
  const [customer, merged] = [await someone(), await someone()];
  await merchant.post('/api/v1/customers/merge', { primary_id: customer.id, secondary_id: merged.id });
  expect(await tablesWith(customer.id)).toEqual(
    expect.arrayContaining([
      'customer_addresses',
      'customer_merges',
      'customer_metadata',
      'customers',
      auditLog,
      'orders',
    ]),
  );
  const { status, body } = await erase(customer, 'hard');
  expect({ status, body }).toEqual({
    status: 200,
    body: { message: 'Customer deleted with all data about it.' },
  });
  for (const text of [customer.secret, merged.secret]) expect(await tablesWith(text)).toEqual([]);
  for (const id of [customer.id, customer.orderId, merged.id, merged.orderId]) {
    expect(await tablesWithId(id)).toEqual(logs);
  }
  for (const { id } of [customer, merged]) {
    expect(await show({ id })).toMatchObject({ status: 404, body: { code: 'customers.not_found' } });
  }
  expect(await deletionEvents(customer)).toEqual([{ payload: { id: customer.id, mode: 'hard' } }]);
  expect((await erase(customer, 'hard')).status).toBe(404);
});

test('a deleted customer can still be anonymized and hard-deleted', async () => {
  const customer = await someone();
  await erase(customer);
  expect((await erase(customer, 'anonymize')).status).toBe(200);
  expect(await tablesWith(customer.secret)).toEqual([]);
  expect((await show(customer)).status).toBe(404);
  expect((await erase(customer, 'hard')).status).toBe(200);
  expect(await tablesWithId(customer.id)).toEqual(logs);
});

test('an unknown mode is rejected and changes nothing', async () => {
  const customer = await someone();
  const { status, body } = await erase(customer, 'archive');
  expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: ['mode'] });
  expect((await show(customer)).status).toBe(200);
});

test.each(['anonymize', 'hard'])('concurrent writes during %s leave no partial data', async (mode) => {
  const customer = await someone();
  const { secret, id } = customer;
  const [erased, ...others] = await Promise.all([
    erase(customer, mode),
    ...Array.from({ length: 4 }, () =>
      merchant.post('/api/v1/orders', buildOrder({ id }, '1.00', { shipping_address: { city: secret } })),
    ),
    ...Array.from({ length: 3 }, () => merchant.post(`/api/v1/customers/${id}/addresses`, { address1: secret })),
  ]);
  expect(erased.status).toBe(200);
  for (const { status } of others) expect(mode === 'hard' ? [200, 201, 404, 422] : [200, 201]).toContain(status);
  const row = await acme.db.row(sql`
    SELECT count(*) AS lost FROM orders WHERE customer_id NOT IN (SELECT id FROM customers)`);
  expect(row).toEqual({ lost: 0 });
  if (mode === 'hard') expect(await tablesWithId(id)).toEqual(logs);
  else expect((await show(customer)).body.customer).toMatchObject({ total_orders: 5, total_spent: '16.50' });
});

test('what would be deleted is counted by module and table', async () => {
  const one = await someone();
  const { status, body } = await merchant.get(`/api/v1/customers/${one.id}/data`);
  expect(status).toBe(200);
  expect(body.data).toEqual(
    expect.arrayContaining([
      { module: 'customers', table: 'customers', rows: 1 },
      { module: 'customers', table: 'customer_addresses', rows: 1 },
      { module: 'orders', table: 'orders', rows: 1 },
    ]),
  );
  expect((await acme.caller('customers.view').get(`/api/v1/customers/${one.id}/data`)).status).toBe(403);
  await erase(one, 'hard');
  expect((await merchant.get(`/api/v1/customers/${one.id}/data`)).status).toBe(404);
});
