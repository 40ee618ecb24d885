import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from '@chowk/kit';
import { afterAll, expect, test } from 'vitest';
import { eventually } from '../../server/testing/eventually.ts';
import { startPaymentPlatform } from '../../server/testing/payment-shop.ts';
import { uniqueId } from '../../server/testing/platform.ts';

const { platform, servers, shop } = await startPaymentPlatform();
const { central, jobs, services } = platform.kernel;

let received = 0;
const receiver = createServer((_, response) => {
  received += 1;
  response.end('ok');
}).listen(0, '127.0.0.1');
await once(receiver, 'listening');
afterAll(() => receiver.close());
const receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;

type Owner = Awaited<ReturnType<typeof shop>>['owner'];

async function createSandbox(owner: Owner, tenantId: string, fields: object = {}): Promise<string> {
  await jobs.work(['build']);
  const { status, body } = await owner.post(`/api/v1/tenants/${tenantId}/sandbox`, fields);
  expect({ status, body }).toMatchObject({ status: 202, body: { sandbox: { status: 'importing' } } });
  const { id } = body.sandbox;
  await eventually(async () =>
    expect((await owner.get(`/api/v1/tenants/${tenantId}/sandboxes`)).body.sandboxes).toContainEqual(
      expect.objectContaining({ id, status: 'active' }),
    ),
  );
  await platform.kernel.signals.waitUntilApplied();
  return id;
}

test('a sandbox has the settings and the catalogue of its tenant and nothing else, and sends nothing', async () => {
  const { tenant, owner, order } = await shop('stripe');
  const product = { title: 'Sencha', sku: 'SEN-1', price: '100', status: 'active', stock: 10 };
  await owner.post('/api/v1/products', product);
  await owner.post('/api/v1/products', { ...product, title: 'Gone', sku: 'SEN-2' });
  const { body: discount } = await owner.post('/api/v1/discounts', { code: 'TEN', kind: 'percent', value: '10' });
  expect(discount).toMatchObject({ discount: { code: 'TEN' } });
  await owner.patch('/api/v1/settings', {
    'general.timezone': 'Europe/Berlin',
    'notifications.sms_provider': 'twilio',
  });
  await order({ items: [{ sku: 'SEN-1', quantity: 3 }], discount_codes: ['TEN'] });
  await platform.person({ tenant, role: 'Agent' });

  const id = await createSandbox(owner, tenant.id);
  expect(id).toBe(`${tenant.id}-sandbox`);
  const inSandbox = { 'x-tenant': id };
  const read = async (path: string) => (await owner.get(`/api/v1/${path}`, inSandbox)).body;
  const send = (path: string, body: object) => owner.post(`/api/v1/${path}`, body, inSandbox);
  expect(await read('auth/me')).toMatchObject({ role: 'Owner', tenant_role: 'merchant', is_sandbox: true });
  expect((await owner.get('/api/v1/auth/me')).body).not.toHaveProperty('is_sandbox');
  expect((await read('settings')).settings).toMatchObject({ 'general.timezone': 'Europe/Berlin' });
  const { products, pagination } = await read('products?sort_by=sku&sort_order=asc');
  expect(products).toMatchObject([
    { sku: 'SEN-1', stock: 10, reserved: 0, available: 10, variants: [{ sku: 'SEN-1', reserved: 0 }] },
    { sku: 'SEN-2' },
  ]);
  expect(pagination.total).toBe(2);
  expect((await read('discounts')).discounts).toMatchObject([{ code: 'TEN', uses: 0 }]);
  expect((await read('customers')).customers).toEqual([]);
  expect((await read('orders')).pagination.total).toBe(0);
  expect((await read('team')).team).toHaveLength(1);

  // It is used as any other tenant, whose orders and stock are its own.
  const customer = { first_name: 'Meera', email: `${uniqueId()}@example.com`, phone: '+919876543210' };
  const placed = await send('orders', { customer, items: [{ sku: 'SEN-1', quantity: 4 }], discount_codes: ['TEN'] });
  expect(placed).toMatchObject({ status: 201, body: { order: { order_number: '1001', discount_total: '40.00' } } });
  expect((await read('products?skus=SEN-1')).products).toMatchObject([{ reserved: 4 }]);
  expect((await owner.get('/api/v1/products?skus=SEN-1')).body.products).toMatchObject([{ reserved: 3 }]);

  // Nothing leaves: webhooks, payments, mails and messages.
  await send('webhooks', { url: receiverUrl, events: ['customer.*'] });
  await send('customers', { first_name: 'Ravi', email: `${uniqueId()}@example.com` });
  const [webhook] = (await read('webhooks')).webhooks;
  await eventually(async () => {
    expect((await read(`webhooks/${webhook.id}/deliveries`)).deliveries).toMatchObject([
      { response_body: null, error: 'This is a sandbox: it sends nothing to other servers.' },
    ]);
  });
  expect(received).toBe(0);
  await owner.put('/api/v1/payments/providers/stripe', servers.stripe.keys, inSandbox);
  await owner.patch('/api/v1/settings', { 'payments.provider': 'stripe' }, inSandbox);
  const linksBefore = servers.stripe.links.size;
  const link = await send(`orders/${placed.body.order.id}/payment-link`, {});
  expect(link.body).toMatchObject({ message: expect.stringContaining('This is a sandbox') });
  expect(servers.stripe.links.size).toBe(linksBefore);
  const sandbox = await platform.kernel.directory.find(id);
  for (const channel of ['email', 'sms', 'whatsapp']) {
    const to = channel === 'email' ? customer.email : customer.phone;
    const test = await send('message-providers/test', { channel, to });
    expect({ channel, status: test.status, body: test.body }).toMatchObject({ status: 200 });
  }
  expect((await services.mail.listStored()).filter(({ to }) => to === customer.email)).toEqual([]);
  expect(sandbox?.isSandbox).toBe(true);

  const url = `/api/v1/tenants/${tenant.id}/sandboxes/${id}`;
  expect((await owner.delete(url)).status).toBe(200);
  expect((await owner.delete(url)).status).toBe(404);
  await platform.kernel.signals.waitUntilApplied();
  expect((await owner.get('/api/v1/auth/me', inSandbox)).status).toBe(404);
  expect(await central.db.row(sql`SELECT FROM pg_database WHERE datname = ${`tenant${id}`}`)).toBeUndefined();
  expect((await owner.get('/api/v1/products')).body.pagination.total).toBe(2);
});

test('a tenant has at most three sandboxes, which its developers alone create', async () => {
  const { tenant, owner } = await shop('stripe');
  const url = `/api/v1/tenants/${tenant.id}/sandbox`;
  const agent = await platform.person({ tenant, role: 'Agent' });
  expect((await agent.post(url, {})).status).toBe(403);
  expect(await owner.post('/api/v1/tenants/other/sandbox', {})).toMatchObject({
    status: 404,
    body: { code: 'onboarding.not_this_tenant', message: expect.stringContaining(tenant.id) },
  });
  expect((await owner.post(url, { sandbox_id: 'api' })).body.errors).toHaveProperty('sandbox_id');
  const token = (await owner.post('/api/v1/profile/tokens', { name: 'CI' })).body;
  expect(token).toHaveProperty('access_token');
  const own = { authorization: `Bearer ${token.access_token}`, host: `${tenant.id}.localhost` };
  const refused = await platform.request({ method: 'POST', url, payload: {}, headers: own });
  expect(refused).toMatchObject({ status: 403, body: { code: 'onboarding.sign_in_needed' } });

  const id = await createSandbox(owner, tenant.id, { sandbox_id: uniqueId() });
  expect(await owner.post(`/api/v1/tenants/${id}/sandbox`, {}, { 'x-tenant': id })).toMatchObject({
    status: 409,
    body: { code: 'onboarding.in_sandbox' },
  });
  const many = await Promise.all(Array.from({ length: 4 }, () => owner.post(url, { sandbox_id: uniqueId() })));
  expect(many.map(({ status }) => status).sort()).toEqual([202, 202, 409, 409]);
  const { sandboxes } = (await owner.get(`/api/v1/tenants/${tenant.id}/sandboxes`)).body;
  expect(sandboxes).toHaveLength(3);
});

test('a sandbox that cannot be filled disappears', async () => {
  const { tenant, owner } = await shop('stripe');
  await tenant.db.run(sql`ALTER TABLE discounts ADD COLUMN unknown text`);
  await jobs.work(['build']);
  const { status } = await owner.post(`/api/v1/tenants/${tenant.id}/sandbox`, {});
  expect(status).toBe(202);
  await eventually(async () =>
    expect((await owner.get(`/api/v1/tenants/${tenant.id}/sandboxes`)).body.sandboxes).toEqual([]),
  );
  const name = `tenant${tenant.id}-sandbox`;
  expect(await central.db.row(sql`SELECT FROM pg_database WHERE datname = ${name}`)).toBeUndefined();
});
