import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';

const platform = await startPlatform();
const acme = await platform.tenant();
const merchant = acme.caller('customers.view', 'customers.create', 'customers.merge', 'customers.delete');
const phone = '+919876543210';

async function addCustomer(fields: object = { phone, email: 'asha@example.com' }): Promise<string> {
  const { body } = await merchant.post('/api/v1/customers', { first_name: 'Asha', ...fields });
  return body.customer.id;
}

const id = await addCustomer();

async function lines(customerId: string) {
  await platform.kernel.audit.flush();
  const query = `action=customers.reveal&resource_id=${customerId}`;
  return (await acme.caller('audit.view').get(`/api/v1/audit?${query}`)).body.audit;
}

test('a caller who sees phones masked can look one up, which is recorded without the value', async () => {
  const agent = acme.caller('customers.view', 'customers.edit');
  expect((await agent.get(`/api/v1/customers/${id}`)).body.customer.phone).toBe('+**********10');
  const { status, body } = await agent.post(`/api/v1/customers/${id}/reveal`, {});
  expect({ status, body }).toEqual({ status: 200, body: { field: 'phone', value: phone } });
  const email = await agent.post(`/api/v1/customers/${id}/reveal`, { field: 'email' });
  expect(email.body).toEqual({ field: 'email', value: 'asha@example.com' });
  // Nothing changes for the next request.
  expect((await agent.get(`/api/v1/customers/${id}`)).body.customer.phone).toBe('+**********10');
  const recorded = await lines(id);
  expect(recorded).toMatchObject([
    { outcome: 'ok', input: { field: 'email' } },
    { outcome: 'ok', input: { id } },
  ]);
  expect(JSON.stringify(recorded)).not.toMatch(/9876543210|asha@example/);
});

test('it needs customers.edit, a customer and a field that can be shown', async () => {
  const url = `/api/v1/customers/${id}/reveal`;
  expect((await acme.caller('customers.view').post(url, {})).status).toBe(403);
  const agent = acme.caller('customers.edit');
  expect(await agent.post(url, { field: 'notes' })).toMatchObject({
    status: 422,
    body: { errors: { field: [expect.anything()] } },
  });
  expect((await agent.post(`/api/v1/customers/${randomUUID()}/reveal`, {})).status).toBe(404);
  const nobody = await addCustomer({});
  expect((await agent.post(`/api/v1/customers/${nobody}/reveal`, {})).body).toEqual({ field: 'phone', value: null });
});

test('one user can look up ten a minute, over REST and GraphQL together; another one is not affected', async () => {
  const agent = acme.caller('customers.edit');
  const colleague = acme.caller('customers.edit');
  const url = `/api/v1/customers/${id}/reveal`;
  for (let count = 0; count < 9; count += 1) expect((await agent.post(url, {})).status).toBe(200);
  const query = `mutation { revealCustomerField(id: "${id}", input: { field: phone }) { field value } }`;
  const { body } = await agent.post('/api/v1/graphql', { query });
  expect(body.data).toEqual({ revealCustomerField: { field: 'phone', value: phone } });
  const refused = await agent.post(url, {});
  expect(refused.status).toBe(429);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  const again = await agent.post('/api/v1/graphql', { query });
  expect(again.body.errors[0].extensions.code).toBe('RATE_LIMITED');
  expect((await colleague.post(url, {})).status).toBe(200);
});
