import { expect, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';

const platform = await startPlatform();
const acme = await platform.tenant();
const merchant = acme.caller(
  'customers.view',
  'customers.create',
  'customers.edit',
  'customers.delete',
  'orders.view',
  'orders.create',
  'products.view',
  'products.create',
  'conversations.view',
  'conversations.reply',
  'graphql.schema.view',
);

async function ask(query: string, variables?: object, caller = merchant) {
  const { status, body } = await caller.post('/api/v1/graphql', { query, variables });
  expect(status).toBe(200);
  return body;
}

test('typed fields create and read records, with relations in both directions', async () => {
  const { data, errors } = await ask(
    `mutation ($input: NewCustomerInput!) { createCustomer(input: $input) { id email tags notes } }`,
    { input: { email: 'asha@example.com', first_name: 'Asha', tags: ['vip'], notes: 'Calls first' } },
  );
  expect(errors).toBeUndefined();
  const { id } = data.createCustomer;
  expect(data.createCustomer).toEqual({ id, email: 'asha@example.com', tags: ['vip'], notes: 'Calls first' });
  await ask(`mutation { createProduct(input: { sku: "TEA", title: "Tea", price: 4.5, stock: 7 }) { id } }`);
  const order = await ask(
    `mutation ($input: NewOrderInput!) { createOrder(input: $input) { order_number status total customer { id tags } } }`,
    { input: { customer_id: id, items: [{ name: 'Tea', sku: 'TEA', quantity: 2, price: '4.50' }] } },
  );
  expect(order).toMatchObject({
    data: { createOrder: { order_number: '1001', status: 'pending', total: '9.00', customer: { id, tags: ['vip'] } } },
  });
  const customer = `{ customer(id: "${id}") {
    first_name total_orders addresses { city }
    orders(first: 5) {
      totalCount
      nodes { order_number history { status } items { name total product { title stock } } customer { first_name } }
      pageInfo { hasNextPage hasPreviousPage endCursor }
      edges { cursor node { total } }
    }
  } }`;
  const expected = {
    data: {
      customer: {
        first_name: 'Asha',
        total_orders: 1,
        addresses: [],
        orders: {
          totalCount: 1,
          nodes: [
            {
              order_number: '1001',
              history: [{ status: 'pending' }],
              items: [{ name: 'Tea', total: '9.00', product: { title: 'Tea', stock: 7 } }],
              customer: { first_name: 'Asha' },
            },
          ],
          pageInfo: { hasNextPage: false, hasPreviousPage: false, endCursor: expect.any(String) },
          edges: [{ cursor: expect.any(String), node: { total: '9.00' } }],
        },
      },
    },
  };
  // Interpreted at first, then compiled.
  for (let use = 0; use < 5; use++) expect(await ask(customer)).toMatchObject(expected);
});

test('every bus operation has a field with JSON in and out', async () => {
  const { data } = await ask(`mutation { products_create(input: { sku: "CUP", title: "Cup", price: "2" }) }`);
  const { id } = data.products_create;
  expect(await ask(`query ($input: JSON) { products_get(input: $input) }`, { input: { id } })).toMatchObject({
    data: { products_get: { sku: 'CUP', price: '2.00' } },
  });
});
