import { expect, test } from 'vitest';
import { loadModules } from '../../server/src/loader/load-modules.ts';
import { startPlatform } from '../../server/testing/platform.ts';
import { testConfig } from '../../server/testing/test-config.ts';
import { testModule } from '../../server/testing/test-module.ts';

/** Orders as many as a customer never had, without a database: what is tested is what becomes of the answer. */
const orders = testModule({
  alias: 'orders',
  helpers: {
    ofCustomer: async (_ctx, { customer_id, page, per_page }) => {
      const first = (page - 1) * per_page;
      const all = Array.from({ length: 23 }, (_, index) => ({
        ...{ id: crypto.randomUUID(), order_number: String(index), customer_id, status: 'pending', total: '1.00' },
        ...{ currency: 'INR', placed_at: '2026-01-01T00:00:00.000Z', items: [{ name: 'Tea' }], note: null },
      }));
      return { orders: all.slice(first, first + per_page), total: all.length };
    },
  },
});
const others = (await loadModules(testConfig())).filter(({ alias }) => alias !== 'orders');
const platform = await startPlatform({ modules: [...others, orders] });
const acme = await platform.tenant();
const merchant = acme.caller('customers.view', 'customers.create', 'customers.delete');
const { body: made } = await merchant.post('/api/v1/customers', { first_name: 'Asha' });
const { id } = made.customer;

const numbers = (list: { order_number: string }[]) => list.map((order) => Number(order.order_number));

test('the detail has the ten most recent orders', async () => {
  const { body } = await merchant.get(`/api/v1/customers/${id}`);
  expect(numbers(body.customer.recent_orders)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(body.customer.recent_orders[0]).toMatchObject({ customer_id: id, items: [{ name: 'Tea' }], note: null });
});

test("a customer's orders come in pages", async () => {
  const { body } = await merchant.get(`/api/v1/customers/${id}/orders?page=3&per_page=10`);
  expect({ ...body, orders: numbers(body.orders) }).toEqual({
    orders: [20, 21, 22],
    pagination: { current_page: 3, last_page: 3, per_page: 10, total: 23 },
  });
  const { status, body: refused } = await merchant.get(`/api/v1/customers/${id}/orders?per_page=101`);
  expect({ status, fields: Object.keys(refused.errors) }).toEqual({ status: 422, fields: ['per_page'] });
});

test('the orders of a deleted customer are not shown', async () => {
  const { body } = await merchant.post('/api/v1/customers', { first_name: 'Gone' });
  await merchant.delete(`/api/v1/customers/${body.customer.id}`);
  expect((await merchant.get(`/api/v1/customers/${body.customer.id}/orders`)).status).toBe(404);
});
