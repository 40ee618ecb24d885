import { sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';
import { buildOrder } from '../../server/testing/shop-module.ts';
import { jobs } from './orders.ts';

/* The currency of order statistics, and when they are written. `segments.test.ts` and the tests of orders cover the numbers. */

const platform = await startPlatform();

async function shop() {
  const tenant = await platform.tenant();
  const verbs = ['view', 'create', 'edit', 'merge'].map((verb) => `customers.${verb}`);
  const caller = tenant.caller(...verbs, 'orders.create', 'orders.delete', 'settings.edit');
  const { id } = (await caller.post('/api/v1/customers', { first_name: 'Asha' })).body.customer;
  return {
    tenant,
    caller,
    id,
    order: async (total: string, more: object = {}, customer: object = { id }) =>
      (await caller.post('/api/v1/orders', buildOrder(customer, total, more))).body.order,
    read: async (customerId = id) => {
      const { customer } = (await caller.get(`/api/v1/customers/${customerId}`)).body;
      const { total_orders, total_spent, avg_order_value, currency, other_currencies } = customer;
      return { total_orders, total_spent, avg_order_value, currency, other_currencies };
    },
  };
}

test("amounts are those of orders in the tenant's currency, and the other currencies are named", async () => {
  const { caller, id, order, read } = await shop();
  const none = { total_orders: 0, total_spent: '0.00', avg_order_value: '0.00', currency: null, other_currencies: [] };
  expect(await read()).toEqual(none);
  await order('10.00');
  await order('20.00');
  const dollars = await order('7.00', { currency: 'USD' });
  await order('8.00', { currency: 'EUR' });
  await order('9.00', { currency: 'JPY', status: 'failed' });
  expect(await read()).toEqual({
    total_orders: 4,
    total_spent: '30.00',
    avg_order_value: '15.00',
    currency: 'INR',
    other_currencies: ['EUR', 'USD'],
  });
  await caller.delete(`/api/v1/orders/${dollars.id}`);
  expect(await read()).toMatchObject({ total_orders: 3, other_currencies: ['EUR'] });
  const { body } = await caller.get('/api/v1/customers');
  expect(body.customers).toMatchObject([{ id, currency: 'INR', other_currencies: ['EUR'] }]);
});

test('a merge adds up the amounts of one currency', async () => {
  const { caller, id, order, read } = await shop();
  await order('10.00');
  const { customer_id } = await order('5.00', { currency: 'USD' }, { phone: '+919800000001' });
  await order('2.00', {}, { id: customer_id });
  await caller.post('/api/v1/customers/merge', { primary_id: id, secondary_id: customer_id });
  expect(await read()).toEqual({
    total_orders: 3,
    total_spent: '12.00',
    avg_order_value: '6.00',
    currency: 'INR',
    other_currencies: ['USD'],
  });
});

test('an order writes the statistics of its customer once, and its payments and shipments do not write them', async () => {
  const { tenant, order, read } = await shop();
  await tenant.db.run(sql`CREATE TABLE customer_writes (id uuid)`);
  await tenant.db.run(sql`
    CREATE FUNCTION note_write() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO customer_writes VALUES (new.id); RETURN NULL; END $$`);
  await tenant.db.run(sql`
    CREATE TRIGGER note AFTER UPDATE ON customers FOR EACH ROW EXECUTE FUNCTION note_write()`);
  const writes = async () => (await tenant.db.rows(sql`SELECT FROM customer_writes`)).length;
  const { id } = await order('10.00', { payments: [{ method: 'card', amount: '4.00' }] });
  expect(await writes()).toBe(1);
  const clerk = tenant.caller('orders.view', 'orders.edit', 'orders.create', 'orders.refund');
  expect((await clerk.post(`/api/v1/orders/${id}/payments`, { method: 'cash' })).status).toBe(201);
  expect(await writes()).toBe(1);
  expect((await clerk.post(`/api/v1/orders/${id}/status`, { status: 'confirmed' })).status).toBe(200);
  expect(await writes()).toBe(2);
  expect(await read()).toMatchObject({ total_orders: 1, total_spent: '10.00' });
});

const queuedFor = (tenantId: string) =>
  platform.kernel.central.db.rows(sql`
    SELECT data->>'job' AS job FROM pgboss.job WHERE data->>'tenant' = ${tenantId} AND state = 'created'`);

test("statistics follow the tenant's currency when it changes", async () => {
  const { tenant, caller, order, read } = await shop();
  await order('10.00');
  await order('7.00', { currency: 'USD' });
  const other = await order('3.00', {}, { phone: '+919800000001' });
  await caller.patch('/api/v1/settings', { 'general.currency': 'USD' });
  expect(await read()).toMatchObject({ total_spent: '10.00', currency: 'INR' });
  await expect.poll(() => queuedFor(tenant.id)).toEqual([{ job: 'customers.recalculate_statistics' }]);
  const recalculate = () => jobs['customers.recalculate_statistics'].run(tenant.context('customers'), {});
  expect(await recalculate()).toBe(2);
  const empty = { total_orders: 1, total_spent: '0.00', avg_order_value: '0.00' };
  expect(await read()).toMatchObject({ total_spent: '7.00', currency: 'USD', other_currencies: ['INR'] });
  expect(await read(other.customer_id)).toEqual({ ...empty, currency: 'USD', other_currencies: ['INR'] });
  expect(await recalculate()).toBe(0);
});
