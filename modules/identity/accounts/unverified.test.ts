import { action, sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { type Person, startAccounts, testPassword } from '../../../server/testing/accounts.ts';
import { makeClient } from '../../../server/testing/oauth.ts';
import { uniqueId } from '../../../server/testing/platform.ts';
import { repositoryModules } from '../../../server/testing/repository-modules.ts';
import { testModule } from '../../../server/testing/test-module.ts';

const order = { customer: { first_name: 'Meera' }, items: [{ name: 'Tea', quantity: 1, price: '5.00' }] };
/** An action that changes nothing by itself and calls an operation on behalf of its caller. */
const kiosk = testModule({
  alias: 'kiosk',
  consumes: ['orders.create'],
  actions: {
    'kiosk.sell': action({
      summary: 'Sell',
      http: 'GET /kiosk',
      needs: 'orders.view',
      run: (ctx) => ctx.bus.call('orders.create', order),
    }),
  },
});
const platform = await startAccounts({ modules: [...(await repositoryModules()), kiosk] });
const acme = await platform.tenant();
const owner = await platform.person({ tenant: acme });
const unverified = (options = {}) => platform.person({ tenant: acme, verified: false, ...options });

const refused = { status: 403, body: { code: 'auth.email_not_verified', message: expect.stringMatching(/^Verify/) } };
const graphql = (person: Person, query: string) => person.post('/api/v1/graphql', { query });
const setAccess = async (value: string | null, by = owner) =>
  expect((await by.patch('/api/v1/settings', { 'security.unverified_users': value })).status).toBe(200);

test('a user without a verified address reads, and every other request is refused until it is verified', async () => {
  const asha = await unverified();
  expect((await asha.get('/api/v1/orders')).status).toBe(200);
  expect((await asha.get('/api/v1/team')).status).toBe(200);
  expect((await asha.get('/api/v1/auth/me')).body.permissions).toContain('orders.view');
  for (const change of [
    asha.post('/api/v1/orders', order),
    asha.patch('/api/v1/settings', { 'security.unverified_users': 'full' }),
    asha.post('/api/v1/invitations', { email: 'x@example.com', role: 'Agent' }),
    asha.post('/api/v1/notifications/mark-all-read'),
    asha.delete(`/api/v1/team/${owner.id}`),
    asha.get('/api/v1/customers/export'),
  ]) {
    expect(await change).toMatchObject(refused);
  }
  await platform.kernel.central.db.run(sql`UPDATE users SET email_verified_at = now() WHERE id = ${asha.id}`);
  await expect.poll(async () => (await asha.post('/api/v1/orders', order)).status).toBe(201);
});

test('the own profile can be changed: name, password, address, sessions and second factor', async () => {
  const asha = await unverified();
  const statuses = [
    await asha.get('/api/v1/profile'),
    await asha.patch('/api/v1/profile', { name: 'Asha' }),
    await asha.post('/api/v1/profile/email/resend-verification'),
    await asha.put('/api/v1/profile/email', { email: `${uniqueId()}@example.com`, password: testPassword }),
    await asha.post('/api/v1/profile/two-factor', {}),
    await asha.delete('/api/v1/profile/sessions'),
    await asha.put('/api/v1/profile/password', {
      current_password: testPassword,
      password: 'another password',
      password_confirmation: 'another password',
    }),
  ].map(({ status }) => status);
  expect(statuses).toEqual(Array(7).fill(200));
});

test('GraphQL and calls between modules have the same rule', async () => {
  const asha = await unverified();
  const { data, errors } = (await graphql(asha, '{ orders { nodes { id } } }')).body;
  expect({ errors, data }).toEqual({ errors: undefined, data: { orders: { nodes: expect.any(Array) } } });
  const mutation = 'mutation { createProduct(input: { title: "Tea", sku: "tea", price: "1.00" }) { id } }';
  expect((await graphql(asha, mutation)).body.errors).toMatchObject([
    { message: refused.body.message, extensions: { code: 'FORBIDDEN' } },
  ]);
  expect(await asha.get('/api/v1/kiosk')).toMatchObject(refused);
  expect((await owner.get('/api/v1/kiosk')).status).toBe(200);
});

test('the tokens and API clients of an unverified user have no more rights', async () => {
  const tenant = await platform.tenant();
  const maker = await platform.person({ tenant });
  const client = await makeClient(maker, ['orders.view', 'orders.create', 'customers.create']);
  const { body: personal } = await maker.post('/api/v1/profile/tokens', { name: 'CI' });
  const { body: granted } = await client.token(platform);
  const create = (token: string) =>
    platform.request({
      method: 'POST',
      url: '/api/v1/orders',
      headers: { authorization: `Bearer ${token}`, 'x-tenant': tenant.id },
      payload: order,
    });
  const tokens = [personal.access_token, granted.access_token];
  for (const token of tokens) expect((await create(token)).status).toBe(201);
  await platform.kernel.central.db.run(sql`UPDATE users SET email_verified_at = NULL WHERE id = ${maker.id}`);
  for (const token of tokens) await expect.poll(() => create(token)).toMatchObject(refused);
});

test('a person who changes a verified address keeps the rights while the new one is not verified', async () => {
  const asha = await platform.person({ tenant: acme });
  const email = `${uniqueId()}@example.com`;
  expect((await asha.put('/api/v1/profile/email', { email, password: testPassword })).status).toBe(200);
  expect((await asha.get('/api/v1/auth/me')).body.email_verified).toBe(false);
  expect((await asha.post('/api/v1/orders', order)).status).toBe(201);
});

test('the tenant widens or narrows it by a setting', async () => {
  const asha = await unverified({ role: 'Agent' });
  const mayDo = async () => [
    (await asha.get('/api/v1/orders')).status,
    (await asha.post('/api/v1/orders', order)).status,
  ];
  expect(await mayDo()).toEqual([200, 403]);
  await setAccess('full');
  expect(await mayDo()).toEqual([200, 201]);
  await setAccess('none');
  expect(await asha.get('/api/v1/orders')).toMatchObject(refused);
  await setAccess(null);
  expect(await mayDo()).toEqual([200, 403]);
});

test('who signs up has an organization, reads it, and changes it after the address is verified', async () => {
  const [domain, email] = [uniqueId(), `${uniqueId()}@example.com`];
  const password = 'correct horse battery';
  const form = { domain, name: 'Ravi', email, password, password_confirmation: password };
  const { status, body } = await platform.request({ method: 'POST', url: '/api/v1/auth/tenants', payload: form });
  expect(status).toBe(201);
  const headers = { authorization: `Bearer ${body.access_token}`, 'x-tenant': domain };
  const create = () => platform.request({ method: 'POST', url: '/api/v1/orders', headers, payload: order });
  expect(await create()).toMatchObject(refused);
  const second = await platform.request({
    method: 'POST',
    url: '/api/v1/auth/tenants',
    headers,
    payload: { domain: uniqueId() },
  });
  expect(second).toMatchObject({ status: 403, body: { code: 'onboarding.email_not_verified' } });
  const { text } = await platform.mailTo(email, /^Verify/);
  const { pathname, search } = new URL(/http\S+/.exec(text)?.[0] ?? '');
  const verify = { method: 'POST' as const, url: `/api/v1${pathname}${search}`, headers };
  expect((await platform.request(verify)).status).toBe(200);
  expect((await create()).status).toBe(201);
});
