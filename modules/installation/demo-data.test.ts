import { expect, test } from 'vitest';
import { startAccounts } from '../../server/testing/accounts.ts';

const platform = await startAccounts();

test('the owner fills an empty organization with demo data, once', async () => {
  const asha = await platform.person({ tenant: await platform.tenant() });
  const responses = await Promise.all([1, 2].map(() => asha.post('/api/v1/demo-data', { customers: 20 })));
  const [filled, refused] = responses.toSorted((one, other) => one.status - other.status);
  expect(filled).toMatchObject({ status: 201, body: { message: 'The demo data is ready.', customers: 20 } });
  expect(refused).toMatchObject({ status: 409, body: { code: 'installation.not_empty' } });
  const { body } = await asha.get('/api/v1/customers?per_page=1');
  expect(body.pagination.total).toBe(20);
});

test.each([
  ['customers', { first_name: 'Meera' }],
  ['products', { sku: 'TEA-250', title: 'Tea', price: '49.50' }],
])('an organization with %s of its own is left as it is', async (path, record) => {
  const asha = await platform.person({ tenant: await platform.tenant() });
  expect((await asha.post(`/api/v1/${path}`, record)).status).toBe(201);
  expect((await asha.post('/api/v1/demo-data')).body.code).toBe('installation.not_empty');
});

test('an agent may not fill it', async () => {
  const tenant = await platform.tenant();
  const ravi = await platform.person({ tenant, role: 'Agent' });
  expect((await ravi.post('/api/v1/demo-data')).status).toBe(403);
});
