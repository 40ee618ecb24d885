import { expect, test } from 'vitest';
import { startAccounts } from '../../testing/accounts.ts';
import { createTenant } from './tenants.ts';

const environment = { BASE_DOMAIN: 'example.com', APP_URL: 'https://bazaar.example.com' };
const platform = await startAccounts({ environment });
const acme = await platform.tenant();
const owner = await platform.person({ tenant: acme });

test('the label of APP_URL never becomes the id of a tenant', async () => {
  const { central, databases } = platform.kernel;
  const create = (values: { id?: string; aliases?: string[] }) =>
    createTenant(central.db, databases, { name: 'Bazaar', ...values });
  await expect(create({ id: 'bazaar' })).rejects.toMatchObject({ status: 422 });
  await expect(create({ aliases: ['bazaar'] })).rejects.toMatchObject({ status: 422 });
});

test('the label of APP_URL never becomes an alias', async () => {
  const { status, body } = await owner.post('/api/v1/domains', { domain: 'bazaar' });
  expect({ status, errors: body.errors }).toEqual({ status: 422, errors: { domain: ['bazaar is reserved.'] } });
});

test('nobody signs up with the label of APP_URL', async () => {
  const { status, body } = await owner.post('/api/v1/auth/tenants', { domain: 'Bazaar' });
  expect({ status, errors: body.errors }).toEqual({ status: 422, errors: { domain: ['bazaar is reserved.'] } });
});

test('the address of the platform binds no tenant', async () => {
  const headers = { host: 'bazaar.example.com', authorization: `Bearer ${owner.accessToken}` };
  const me = await platform.request({ url: '/api/v1/auth/me', headers });
  expect({ status: me.status, tenant: me.body.tenant_id }).toEqual({ status: 200, tenant: undefined });
  const team = await platform.request({ url: '/api/v1/team', headers: { ...headers, 'x-tenant': acme.id } });
  expect(team.status).toBe(200);
  expect((await platform.request({ url: '/api/v1/auth/me', headers: { host: 'souk.example.com' } })).status).toBe(404);
});
