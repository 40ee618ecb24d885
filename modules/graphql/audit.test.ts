import { expect, test } from 'vitest';
import { startAccounts } from '../../server/testing/accounts.ts';

/* What the audit log has of mutations while `graphql.audit_mutations` is off. */

const platform = await startAccounts();

test('deletions and changes of amounts are recorded, other mutations are not', async () => {
  const tenant = await platform.tenant();
  const owner = await platform.person({ tenant });
  await owner.patch('/api/v1/settings', { 'graphql.audit_mutations': false });
  const items = [{ name: 'Tea', quantity: 1, price: '5.00' }];
  const { order } = (await owner.post('/api/v1/orders', { items, customer: { first_name: 'Meera' } })).body;
  const { product } = (await owner.post('/api/v1/products', { sku: 'TEA', title: 'Tea', price: '5.00' })).body;
  const ask = async (mutation: string) => {
    const { body } = await owner.post('/api/v1/graphql', { query: `mutation { ${mutation} }` });
    expect(body.errors).toBeUndefined();
  };
  await ask('createCustomer(input: { first_name: "Ravi" }) { id }');
  await ask(`updateOrder(id: "${order.id}", input: { total: "4.00" }) { id }`);
  await ask(`updateProduct(id: "${product.id}", input: { price: "6.00" }) { id }`);
  await ask(`deleteProduct(id: "${product.id}")`);
  await ask(`deleteOrder(id: "${order.id}")`);
  await platform.kernel.audit.flush();
  const { audit: entries } = (await owner.get('/api/v1/audit?per_page=50&sort_order=asc')).body;
  const mutations = entries.filter(({ transport }: { transport: string }) => transport === 'graphql');
  expect(mutations.map(({ action }: { action: string }) => action)).toEqual([
    'orders.update',
    'products.update',
    'products.delete',
    'orders.delete',
  ]);
  expect(mutations[0].changes).toEqual({ total: ['5.00', '4.00'] });
});

test('a refusal that tells whose email or phone it is is recorded, over every way', async () => {
  const tenant = await platform.tenant();
  const owner = await platform.person({ tenant });
  const agent = await platform.person({ tenant, role: 'Agent' });
  await owner.post('/api/v1/customers', { first_name: 'Meera', phone: '+919876543210', email: 'meera@example.com' });
  expect((await agent.post('/api/v1/customers', { phone: '+91 98765 43210' })).status).toBe(422);
  const query = 'mutation { createCustomer(input: { email: "meera@example.com" }) { id } }';
  expect((await agent.post('/api/v1/graphql', { query })).body.errors).toHaveLength(1);
  expect((await agent.post('/api/v1/customers', { email: 'nonsense' })).status).toBe(422);
  await platform.kernel.audit.flush();
  const { audit: entries } = (await owner.get('/api/v1/audit?per_page=50&sort_order=asc')).body;
  const refused = entries.filter(({ outcome }: { outcome: string }) => outcome === 'refused');
  const common = { action: 'customers.create', error_code: 'http.validation_failed', user_id: agent.id };
  expect(refused).toMatchObject([
    { ...common, transport: 'rest' },
    { ...common, transport: 'graphql' },
  ]);
});
