import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';
import { getPort } from '../../server/testing/raw-http.ts';

const platform = await startPlatform();

async function shop() {
  const tenant = await platform.tenant();
  const caller = tenant.caller('orders.view', 'orders.create', 'orders.export', 'customers.view_sensitive');
  const create = async (fields: object) => (await caller.post('/api/v1/orders', fields)).body.order;
  const exported = async (query = '', as = caller) => as.get(`/api/v1/orders/export${query}`);
  return { tenant, caller, create, exported };
}

test('a CSV file has one row for each order, with customer, items and escaped formulas', async () => {
  const { tenant, create, exported } = await shop();
  const placed_at = '2026-01-02T03:04:05.000Z';
  const first = await create({
    customer: { phone: '+919876543210', email: 'asha@example.com', first_name: '=Asha', last_name: 'Rao, "R"' },
    items: [
      { name: 'Tea', sku: 'T-1', quantity: 2, price: '4.50' },
      { name: 'Cup', quantity: 1, price: 3 },
    ],
    note: '+1\nline',
    placed_at,
  });
  const second = await create({ items: [{ name: 'Tea', quantity: 1, price: 1 }], placed_at: '2026-01-03T00:00:00Z' });
  const { headers, body } = await exported('?sort_order=asc');
  expect(headers['content-type']).toBe('text/csv; charset=utf-8; header=present');
  expect(headers['content-disposition']).toMatch(/^attachment; filename="orders-\d{4}-\d\d-\d\d\.csv"$/);
  const moments = (order: typeof first) => `${order.placed_at},${order.created_at},${order.updated_at}`;
  const amounts = (total: string) => `${total},0.00,0.00,0.00,0.00,unpaid,unfulfilled`;
  const names = 'order_number,status,customer_id,first_name,last_name,email,phone,currency,total,refunded_total';
  const row = (phone: string) =>
    `1001,pending,${first.customer_id},"'=Asha","Rao, ""R""",asha@example.com,${phone},INR,12.00,0.00,` +
    `"2 × Tea (T-1); 1 × Cup","'+1\nline",${moments(first)},${amounts('12.00')}\r\n`;
  const rest = `1002,pending,${second.customer_id},Guest,,,,INR,1.00,0.00,1 × Tea,,${moments(second)},${amounts('1.00')}\r\n`;
  const sums = 'subtotal,discount_total,shipping_total,tax_total,paid_total,payment_status,fulfillment_status';
  const head = `\ufeff${names},items,note,placed_at,created_at,updated_at,${sums}\r\n`;
  expect(body).toBe(head + row('+919876543210') + rest);
  const masked = await exported('?sort_order=asc', tenant.caller('orders.export'));
  expect(masked.body).toBe(head + row('+**********10') + rest);
});

test('a JSON file has the rows of the list with the same filters', async () => {
  const { tenant, caller, create, exported } = await shop();
  for (const status of ['pending', 'shipped', 'shipped']) {
    const shipping_address = { address1: '1 High St' };
    await create({ status, shipping_address, items: [{ name: 'Tea', quantity: 1, price: 1 }] });
  }
  const query = '?status=shipped&sort_by=order_number';
  const { orders } = (await caller.get(`/api/v1/orders${query}`)).body;
  expect(orders).toHaveLength(2);
  expect((await exported(`${query}&format=json`)).body).toEqual({ orders });
  const { body } = await exported('?format=json', tenant.caller('orders.export'));
  expect(body.orders[0].shipping_address).toEqual({ address1: null });
  expect((await exported('?format=pdf')).status).toBe(422);
  expect((await exported('?status=sold')).body.errors).toHaveProperty('status');
});

const fill = (count: number) => sql`
  INSERT INTO orders (id, number, order_number, customer_id, status, currency, total, note, placed_at, created_at, updated_at)
  SELECT gen_random_uuid(), n, n::text, gen_random_uuid(), 'pending', 'INR', 1, repeat('x', 200), now(), now(), now()
  FROM generate_series(1, ${count}::integer) n`;

test('a large export has every order exactly once', async () => {
  const { tenant, exported } = await shop();
  await tenant.db.run(fill(1_201));
  const { body } = await exported('?format=json&sort_by=order_number&sort_order=asc');
  expect(body.orders.map(({ order_number }: { order_number: string }) => Number(order_number))).toEqual(
    Array.from({ length: 1_201 }, (_, n) => n + 1),
  );
});

test('an export uses one connection, exports are limited, and a disconnected reader releases its connection', async () => {
  const narrow = await startPlatform({ environment: { DATABASE_CONNECTIONS_PER_TENANT: '1' } });
  const tenant = await narrow.tenant();
  const caller = tenant.caller('orders.view', 'orders.export');
  await tenant.db.run(fill(2_000));
  const exports = Array.from({ length: 3 }, () => caller.get('/api/v1/orders/export?format=json&max_total=1'));
  const [one, ...others] = (await Promise.all(exports)).toSorted((a, b) => a.status - b.status);
  expect(one?.body.orders).toHaveLength(2_000);
  for (const { status, headers, body } of others) {
    expect({ status, code: body.code, after: headers['retry-after'] }).toEqual({
      status: 429,
      code: 'http.too_many_downloads',
      after: '10',
    });
  }
  await tenant.db.run(sql`UPDATE orders SET note = repeat('x', 20000)`);
  await narrow.app.listen({ host: '127.0.0.1', port: 0 });
  const headers = { authorization: `Bearer ${caller.token}`, 'x-tenant': tenant.id };
  const path = '/api/v1/orders/export?sort_by=order_number&sort_order=asc';
  const request = get({ port: getPort(narrow.app), path, headers });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  await once(response, 'readable');
  request.destroy();
  expect((await caller.get('/api/v1/orders')).body.pagination.total).toBe(2_000);
  expect((await caller.get('/api/v1/orders/export?max_total=1')).status).toBe(200);
});

test('an export is in the audit log with its filters', async () => {
  const { tenant, caller, exported } = await shop();
  await exported('?status=shipped&format=json');
  await platform.kernel.audit.flush();
  const { body } = await tenant.caller('audit.view').get('/api/v1/audit?resource=orders');
  expect(body.audit).toMatchObject([
    { action: 'orders.export', user_id: caller.user.id, outcome: 'ok', input: { status: 'shipped', format: 'json' } },
  ]);
});
