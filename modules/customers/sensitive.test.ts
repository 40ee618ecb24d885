import { sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';
import { readByCursor } from '../../server/testing/read-by-cursor.ts';

const platform = await startPlatform();
const acme = await platform.tenant();
const id = '01890000-0000-7000-8000-000000000001';
const phones = ['+919876543210', '+918765432109'];
const streets = ['14 Hidden Lane', 'Behind the mill'];
await acme.db.run(sql`
  INSERT INTO customers (id, first_name, last_name, email, phone, total_orders, created_at, updated_at)
  VALUES (${id}, 'Asha', 'Rao', 'asha@example.com', ${phones[0]}, 50, now(), now())`);
await acme.db.run(sql`
  INSERT INTO customer_addresses (id, customer_id, type, city, address1, address2, phone, created_at, updated_at)
  VALUES (gen_random_uuid(), ${id}, 'shipping', 'Pune', ${streets[0]}, ${streets[1]}, ${phones[1]}, now(), now())`);

const clerk = acme.caller('customers.view', 'customers.export', 'orders.view');
const manager = acme.caller('customers.view', 'customers.export', 'orders.view', 'customers.view_sensitive');

const raw = async (by: typeof clerk, path: string) => {
  const { status, body } = await by.get(`/api/v1${path}`);
  expect({ path, status }).toEqual({ path, status: 200 });
  return typeof body === 'string' ? body : JSON.stringify(body);
};

test.each([
  '/customers',
  '/customers?sort_by=first_name&sort_order=asc',
  '/customers?search=rao',
  '/customers?vip=true',
  '/customers/vip',
  '/customers/search?q=asha',
  '/customers/search?q=ashaa',
  '/customers/export',
  '/customers/export?format=json',
  `/customers/${id}`,
  `/customers/${id}/export`,
])('phones and streets are masked in %s without the permission', async (path) => {
  const [hidden, shown] = [await raw(clerk, path), await raw(manager, path)];
  expect(hidden).toContain('asha@example.com');
  expect(hidden).toContain('+**********10');
  expect(shown).toContain(phones[0]);
  for (const secret of [
    ...phones.map((phone) => phone.slice(1)),
    ...phones.map((phone) => phone.slice(3, -2)),
    ...streets,
  ])
    expect(hidden).not.toContain(secret);
});

test('phones are masked on every page, also with few customers on each and with a cursor', async () => {
  const tenant = await platform.tenant();
  const someone = tenant.caller('customers.view');
  await tenant.db.run(sql`
    INSERT INTO customers (id, first_name, phone, total_orders, created_at, updated_at)
    SELECT gen_random_uuid(), 'Asha', '+9198765432' || n, 50, now(), now() FROM generate_series(10, 14) n`);
  const masked = /^\+\*{10}1\d$/;
  for (const path of ['/customers?', '/customers/vip?', '/customers?search=asha&', '/customers?tags=&']) {
    for (const page of [1, 2, 3, 4, 5]) {
      const { body } = await someone.get(`/api/v1${path}page=${page}&per_page=1`);
      expect(body.customers).toMatchObject([{ phone: expect.stringMatching(masked) }]);
    }
  }
  const found = await readByCursor<{ phone: string }>(someone, '/api/v1/customers');
  expect(found).toHaveLength(5);
  for (const { phone } of found) expect(phone).toMatch(masked);
});

const spellings = ['+919876543210', '9876543210', '98765 43210', '098765-43210', '43210', '543', '+**********10', '10'];

test('addresses and orders hide streets and phones without the permission', async () => {
  const taker = acme.caller('orders.create');
  const shipping_address = { address1: streets[0], address2: streets[1], city: 'Pune', phone: phones[1] };
  const { body } = await taker.post('/api/v1/orders', {
    customer: { id },
    items: [{ name: 'Tea', quantity: 1, price: 5 }],
    shipping_address,
  });
  const answers = [JSON.stringify(body)];
  const paths = ['addresses', 'orders', 'export'].map((what) => `/customers/${id}/${what}`);
  for (const path of [...paths, '/orders', `/orders/${body.order.id}`]) answers.push(await raw(clerk, path));
  for (const answer of answers) {
    expect(answer).toContain('Pune');
    for (const secret of [...phones, ...streets]) expect(answer).not.toContain(secret);
  }
  expect(await raw(manager, `/customers/${id}/addresses`)).toContain(streets[0]);
  expect(await raw(manager, `/orders/${body.order.id}`)).toContain(streets[0]);
});

test.each(spellings)('a search by %s does not reveal a phone without the permission', async (text) => {
  const q = encodeURIComponent(text);
  expect((await clerk.get(`/api/v1/customers?search=${q}`)).body).toMatchObject({
    customers: [],
    pagination: { total: 0 },
  });
  expect((await clerk.get(`/api/v1/customers/search?q=${q}`)).body).toEqual({ customers: [] });
  expect((await clerk.get(`/api/v1/customers/export?format=json&search=${q}`)).body).toEqual({ customers: [] });
});

test('users with the permission can search by phone', async () => {
  for (const text of spellings.slice(0, 6)) {
    const q = encodeURIComponent(text);
    expect((await manager.get(`/api/v1/customers?search=${q}`)).body.pagination.total).toBe(1);
    expect((await manager.get(`/api/v1/customers/search?q=${q}`)).body.customers).toHaveLength(1);
    expect((await manager.get(`/api/v1/customers/export?format=json&search=${q}`)).body.customers).toHaveLength(1);
  }
});

test('no parameter reveals a phone', async () => {
  for (const query of ['phone_digits=1', 'sort_by=phone']) {
    expect((await clerk.get(`/api/v1/customers?${query}`)).status).toBe(422);
  }
  for (const query of ['phone=9876543210', 'phone=1']) {
    expect((await clerk.get(`/api/v1/customers?${query}`)).status).toBe(403);
  }
});
