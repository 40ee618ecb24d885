import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from '@chowk/kit';
import { Webhook as Verifier } from 'standardwebhooks';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Person, startAccounts } from '../../server/testing/accounts.ts';
import { eventually } from '../../server/testing/eventually.ts';
import { startPlatform, type TestTenant } from '../../server/testing/platform.ts';
import { jobs } from './deliver.ts';
import { startReplay } from './deliveries.ts';

interface Received {
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** By the clock of the platform. */
  readonly at: number;
}

const received: Received[] = [];
let answer = { status: 200, body: 'ok', headers: {} };
const receiver = createServer(async (request, response) => {
  const chunks = await Array.fromAsync(request as AsyncIterable<Buffer>);
  // Retries of earlier tests go to earlier addresses.
  if (request.url === new URL(url).pathname)
    received.push({ url: request.url, headers: request.headers, body: Buffer.concat(chunks).toString(), at: now });
  response.writeHead(answer.status, answer.headers).end(answer.body);
}).listen(0, '127.0.0.1');
await once(receiver, 'listening');
afterAll(() => receiver.close());
const origin = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
let tests = 0;
let url = `${origin}/hook`;

let now = Date.parse('2026-03-01T10:00:00Z');
const allowReceiver = { OUTBOUND_ALLOW_HOSTS: '127.0.0.1' };
const platform = await startAccounts({ environment: allowReceiver, now: () => new Date(now) });
const path = '/api/v1/webhooks';

beforeEach(() => {
  received.length = 0;
  url = `${origin}/hook/${++tests}`;
  answer = { status: 200, body: 'ok', headers: {} };
});

/** A tenant whose Owner has created a webhook. */
async function webhook(fields: object = {}) {
  const tenant = await platform.tenant();
  const owner = await platform.person({ tenant });
  const { body } = await owner.post(path, { url, events: ['product.*', 'customer.*'], ...fields });
  const deliveries = async () => (await owner.get(`${path}/${body.webhook.id}/deliveries`)).body.deliveries;
  return { tenant, owner, id: body.webhook.id as string, secret: body.secret as string, deliveries };
}

/** Runs the next attempt of a delivery now. */
async function attempt(tenant: TestTenant, id: string): Promise<void> {
  const row = await tenant.db.row<{ task_id: string }>(sql`SELECT task_id FROM webhook_deliveries WHERE id = ${id}`);
  await jobs['webhooks.deliver'].run(tenant.context('webhooks'), { id, task: row?.task_id });
}

/** The library refuses requests that are older than five minutes by the clock, which is here that of the platform. */
function verify(secret: string, { headers, body, at }: Received): unknown {
  vi.useFakeTimers({ toFake: ['Date'], now: at });
  try {
    return new Verifier(secret).verify(body, headers as Record<string, string>);
  } finally {
    vi.useRealTimers();
  }
}

/** The context with other properties. */
function replacing<Context extends object>(ctx: Context, others: Record<string, unknown>): Context {
  return new Proxy(ctx, {
    get(target, name) {
      if (name in others) return others[name as string];
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

describe('a webhook', () => {
  test('receives the events it asks for, signed as Standard Webhooks', async () => {
    const { tenant, owner, secret, deliveries } = await webhook({ events: ['product.created'] });
    await owner.post('/api/v1/customers', { first_name: 'Meera' });
    const { body: created } = await owner.post('/api/v1/products', { sku: 'TEA', title: 'Tea', price: '10' });
    await eventually(async () => expect(await deliveries()).toMatchObject([{ status: 'delivered' }]));
    expect(received).toHaveLength(1);
    const [request] = received as [Received];
    const { variants: _, ...product } = created.product;
    const [event] = (await owner.get('/api/v1/events?type=product.created')).body.events;
    expect(verify(secret, request)).toEqual({
      id: event.id,
      type: 'product.created',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      sequence: event.sequence,
      tenant_id: tenant.id,
      api_version: '2026-11-01',
      data: { product },
    });
    expect(request.headers).toMatchObject({ 'content-type': 'application/json' });
    expect(await deliveries()).toMatchObject([
      {
        id: request.headers['webhook-id'],
        event: 'product.created',
        status: 'delivered',
        attempts: 1,
        response_status: 200,
        response_body: 'ok',
        error: null,
        can_redeliver: true,
        next_attempt_at: null,
        duration_ms: expect.any(Number),
      },
    ]);
  });

  test('receives a test event', async () => {
    const { owner, id, secret, deliveries } = await webhook();
    const { status, body } = await owner.post(`${path}/${id}/test`);
    expect({ status, delivery: body.delivery }).toMatchObject({ status: 202, delivery: { event: 'webhook.test' } });
    await eventually(async () => expect(await deliveries()).toMatchObject([{ status: 'delivered' }]));
    expect(verify(secret, received[0] as Received)).toMatchObject({ type: 'webhook.test', data: { webhook_id: id } });
  });

  test('is signed with the old and the new secret for a day after its secret is replaced', async () => {
    const { tenant, owner, id, secret: old, deliveries } = await webhook();
    const { secret } = (await owner.post(`${path}/${id}/secret`)).body;
    expect(secret).toMatch(/^whsec_/);
    await owner.post(`${path}/${id}/test`);
    await eventually(async () => expect(await deliveries()).toMatchObject([{ status: 'delivered' }]));
    const [both] = received as [Received];
    expect(verify(old, both)).toEqual(verify(secret, both));

    await tenant.db.run(
      sql`UPDATE webhooks SET previous_secret_expires_at = previous_secret_expires_at - interval '1 day'`,
    );
    await owner.post(`${path}/${id}/test`);
    await eventually(() => expect(received).toHaveLength(2));
    const latest = received[1] as Received;
    expect(verify(secret, latest)).toMatchObject({ type: 'webhook.test' });
    expect(() => verify(old, latest)).toThrow('No matching signature found');
  });

  test('shows its secret once, and the database holds it encrypted', async () => {
    const { tenant, owner, id, secret } = await webhook();
    expect(JSON.stringify((await owner.get(`${path}/${id}`)).body)).not.toContain('whsec_');
    expect(JSON.stringify((await owner.get(path)).body)).not.toContain('whsec_');
    const rows = await tenant.db.rows(sql`SELECT * FROM webhooks`);
    expect(JSON.stringify(rows)).not.toContain(secret.slice('whsec_'.length));
  });

  test('is updated and deleted', async () => {
    const { owner, id } = await webhook();
    const changed = await owner.patch(`${path}/${id}`, { is_active: false, description: 'ERP' });
    expect(changed.body.webhook).toMatchObject({ url, is_active: false, description: 'ERP' });
    expect(await owner.post(`${path}/${id}/test`)).toMatchObject({ status: 409, body: { code: 'webhooks.inactive' } });
    expect(await owner.delete(`${path}/${id}`)).toMatchObject({ status: 200 });
    expect(await owner.get(`${path}/${id}`)).toMatchObject({ status: 404, body: { code: 'webhooks.not_found' } });
    expect(await owner.get(`${path}/${id}/deliveries`)).toMatchObject({ status: 404 });
  });

  test.each([
    [{ url: 'http://shop.example' }, 'url'],
    [{ url: 'https://user:pass@shop.example' }, 'url'],
    [{ url: 'https://169.254.169.254/latest' }, 'url'],
    [{ url: 'https://2852039166/' }, 'url'],
    [{ url: 'nonsense' }, 'url'],
    [{ events: ['order.flown'] }, 'events'],
    [{ events: ['orders.*'] }, 'events'],
    [{ events: [] }, 'events'],
    [{ events: ['order.*'], conditions: [{ field: 'order.total', operator: 'gt', value: '5' }] }, 'conditions'],
    [
      {
        events: ['order.created', 'order.updated'],
        conditions: [{ field: 'order.total', operator: 'gt', value: '5' }],
      },
      'conditions',
    ],
    [
      { events: ['order.created'], conditions: [{ field: 'order.weather', operator: 'eq', value: 'rain' }] },
      'conditions.0.field',
    ],
    [
      { events: ['order.created'], conditions: [{ field: 'order.total', operator: 'gt', value: 'much' }] },
      'conditions.0.value',
    ],
  ])('is refused with %o', async (fields, field) => {
    const tenant = await platform.tenant();
    const owner = await platform.person({ tenant });
    const { status, body } = await owner.post(path, { url, events: ['*'], ...fields });
    expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: [field] });
  });

  test('can ask only for events that the platform lists', async () => {
    const { owner } = await webhook();
    const { events } = (await owner.get(`${path}/events`)).body;
    expect(events).toContainEqual({ name: 'order.created', summary: 'An order was created' });
  });

  test('needs the permission for API clients', async () => {
    const tenant = await platform.tenant();
    const manager = await platform.person({ tenant, role: 'Manager' });
    expect(await manager.get(path)).toMatchObject({ status: 403 });
    expect(await manager.post(path, { url, events: ['*'] })).toMatchObject({ status: 403 });
  });

  test('gets its URL and events only from users who may see all that it sends', async () => {
    const acme = await (await startPlatform({ environment: allowReceiver })).tenant();
    const integrator = acme.caller('settings.api_clients');
    const owner = acme.caller('settings.api_clients', 'customers.view_sensitive', 'customers.view');
    const fields = { url, events: ['customer.*'] };
    const refusal = { status: 403, body: { message: 'This needs the permission customers.view_sensitive.' } };
    expect(await integrator.post(path, fields)).toMatchObject(refusal);
    const { id } = (await owner.post(path, fields)).body.webhook;
    expect(await integrator.patch(`${path}/${id}`, { url })).toMatchObject(refusal);
    expect(await integrator.patch(`${path}/${id}`, { events: ['*'] })).toMatchObject(refusal);
    expect(await integrator.patch(`${path}/${id}`, { is_active: false })).toMatchObject({ status: 200 });
  });
});

const createTea = (owner: Person, sku: string, price = '10') =>
  owner.post('/api/v1/products', { sku, title: sku, price });
const receivedSkus = () => received.map(({ body }) => JSON.parse(body).data.product.sku);

test('a webhook with conditions gets only the events that meet them', async () => {
  const conditions = [{ field: 'product.price', operator: 'gte', value: '100' }];
  const { owner, id, deliveries } = await webhook({ events: ['product.created'], conditions });
  await createTea(owner, 'CHEAP', '99.99');
  await createTea(owner, 'DEAR', '100');
  await eventually(async () => expect(await deliveries()).toMatchObject([{ status: 'delivered' }]));
  expect(receivedSkus()).toEqual(['DEAR']);
  expect((await owner.patch(`${path}/${id}`, { events: ['product.*'] })).body.errors).toHaveProperty('conditions');
  expect(await owner.patch(`${path}/${id}`, { events: ['product.*'], conditions: [] })).toMatchObject({ status: 200 });
});

describe('an event that was delivered', () => {
  test('is delivered again', async () => {
    const { owner, id, secret, deliveries } = await webhook();
    await createTea(owner, 'TEA');
    await eventually(async () => expect(await deliveries()).toMatchObject([{ status: 'delivered' }]));
    const [delivery] = await deliveries();
    expect(await owner.post(`${path}/${id}/deliveries/${delivery.id}/redeliver`)).toMatchObject({ status: 202 });
    await eventually(() => expect(received).toHaveLength(2));
    const [first, second] = received as [Received, Received];
    expect(verify(secret, second)).toEqual(verify(secret, first));
    expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
  });

  test('is delivered again as part of a range that has other types too', async () => {
    const { owner, id, deliveries } = await webhook({ events: ['product.created'] });
    for (const sku of ['A', 'B', 'C']) await createTea(owner, sku);
    await owner.post('/api/v1/customers', { first_name: 'Meera' });
    await eventually(async () =>
      expect((await deliveries()).map(({ status }: { status: string }) => status)).toEqual(Array(3).fill('delivered')),
    );
    received.length = 0;
    const events = (await owner.get('/api/v1/events?type=product.created')).body.events;
    const range = { from_sequence: events[1].sequence };
    expect(await owner.post(`${path}/${id}/replay`, range)).toMatchObject({ status: 202 });
    await eventually(() => expect(receivedSkus().toSorted()).toEqual(['B', 'C']));
    received.length = 0;
    await owner.post(`${path}/${id}/replay`, { from_sequence: 1, to_sequence: events[0].sequence });
    await eventually(() => expect(receivedSkus()).toEqual(['A']));
    expect(await deliveries()).toHaveLength(3);
    expect((await owner.post(`${path}/${id}/replay`, { from_sequence: 0 })).status).toBe(422);
  });

  test('ends with the newest event at the time of the request', async () => {
    const { tenant, owner, id } = await webhook({ events: ['product.created'] });
    await createTea(owner, 'A');
    const [{ sequence: last }] = (await owner.get('/api/v1/events?limit=1000')).body.events.slice(-1);
    const added: unknown[] = [];
    const ctx = tenant.context('webhooks');
    const jobs = { add: async (_: string, data: unknown) => void added.push(data) };
    await startReplay(
      replacing(ctx, { tx: (run: (tx: typeof ctx) => unknown) => ctx.tx(async (tx) => run(replacing(tx, { jobs }))) }),
      { id, from_sequence: 1 },
    );
    expect(added).toEqual([{ id, from: 1, to: last }]);
  });

  test('of a new webhook: a replay delivers what happened before', async () => {
    const { owner, id, tenant } = await webhook({ events: ['order.created'] });
    await createTea(owner, 'EARLIER');
    // Otherwise the webhook would get it as an event of its own, too.
    await eventually(async () => expect(await tenant.db.rows(sql`SELECT FROM event_deliveries`)).toEqual([]));
    await owner.patch(`${path}/${id}`, { events: ['product.created'] });
    await owner.post(`${path}/${id}/replay`, { from_sequence: 1 });
    await eventually(() => expect(receivedSkus()).toEqual(['EARLIER']));
  });
});

describe('the permission of an event', () => {
  const productEvents = ['product.created', 'product.updated', 'product.deleted'];
  const createProduct = (owner: Person, sku: string) =>
    owner.post('/api/v1/products', { sku, title: sku, price: '10' });

  /** An integrator who may see products and customers but no orders. */
  async function integration(fields: object) {
    const tenant = await platform.tenant();
    const owner = await platform.person({ tenant });
    const permissions = ['settings.api_clients', 'customers.view', 'customers.view_sensitive', 'products.view'];
    await owner.post('/api/v1/roles', { name: 'Integrator', permissions });
    await owner.post('/api/v1/roles', { name: 'Nothing', permissions: ['settings.api_clients'] });
    const integrator = await platform.person({ tenant, role: 'Agent' });
    const setRole = async (role: string) =>
      expect(await owner.patch(`/api/v1/team/${integrator.id}`, { role })).toMatchObject({ status: 200 });
    await setRole('Integrator');
    const { status, body } = await integrator.post(path, { url, ...fields });
    const deliveries = async () => (await owner.get(`${path}/${body.webhook?.id}/deliveries`)).body.deliveries;
    return { tenant, owner, integrator, status, body, setRole, deliveries };
  }

  test('is needed to ask for it by name or by a pattern that matches nothing else', async () => {
    const { integrator, status } = await integration({ events: ['*'] });
    expect(status).toBe(201);
    const refusal = { status: 403, body: { message: 'This needs the permission orders.view.' } };
    expect(await integrator.post(path, { url, events: ['order.created'] })).toMatchObject(refusal);
    expect(await integrator.post(path, { url, events: ['order.*'] })).toMatchObject(refusal);
    expect(await integrator.post(path, { url, events: ['product.*', 'customer.created'] })).toMatchObject({
      status: 201,
    });
    const { events } = (await integrator.get(`${path}/events`)).body;
    const names = events.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(productEvents));
    expect(names.filter((name: string) => /^(order|conversation|settings)\./.test(name))).toEqual([]);
  });

  test('limits what a pattern delivers', async () => {
    const { owner, deliveries } = await integration({ events: ['*'] });
    const items = [{ name: 'Tea', quantity: 1, price: '5' }];
    expect(await owner.post('/api/v1/orders', { customer: { email: 'a@example.com' }, items })).toMatchObject({
      status: 201,
    });
    await createProduct(owner, 'TEA');
    const delivered = async () => (await deliveries()).map(({ event }: { event: string }) => event);
    await eventually(async () => expect(await delivered()).toContain('product.created'));
    expect((await delivered()).filter((event: string) => event.startsWith('order.'))).toEqual([]);
    expect(received.some(({ body }) => body.includes('"type":"order.'))).toBe(false);
  });

  test('is checked for each event: lost rights are in the log, and saving again repairs it', async () => {
    const { owner, body, setRole, deliveries } = await integration({ events: ['product.created'] });
    expect(body.webhook.saved_by).toEqual(expect.any(Number));
    await setRole('Nothing');
    await createProduct(owner, 'TEA');
    const error = expect.stringMatching(
      /^The user who saved the webhook does not have the permission products.view; save /,
    );
    await eventually(async () =>
      expect(await deliveries()).toMatchObject([{ status: 'failed', attempts: 0, error, can_redeliver: true }]),
    );
    const [{ id }] = await deliveries();
    const again = `${path}/${body.webhook.id}/deliveries/${id}/redeliver`;
    expect(await owner.post(again)).toMatchObject({ status: 202 });
    await eventually(async () => expect(await deliveries()).toMatchObject([{ status: 'failed', attempts: 1, error }]));
    expect(await owner.get(`${path}/${body.webhook.id}`)).toMatchObject({ body: { webhook: { is_active: true } } });
    const saved = await owner.patch(`${path}/${body.webhook.id}`, { events: ['product.created'] });
    expect(saved.body.webhook.saved_by).toBe(owner.id);
    expect(await owner.post(again)).toMatchObject({ status: 202 });
    await eventually(async () => expect(await deliveries()).toMatchObject([{ status: 'delivered' }]));
  });

  test('is missing once the user has left, or if nobody is known to have saved the webhook', async () => {
    const { tenant, owner, integrator, deliveries } = await integration({ events: ['product.*'] });
    await owner.delete(`/api/v1/team/${integrator.id}`);
    await createProduct(owner, 'TEA');
    const left = expect.stringContaining(
      'no longer a member of the team and does not have the permission products.view',
    );
    await eventually(async () => expect((await deliveries())[0]).toMatchObject({ status: 'failed', error: left }));
    await tenant.db.run(sql`UPDATE webhooks SET saved_by = NULL`);
    await createProduct(owner, 'COFFEE');
    const unknown = expect.stringContaining('nobody is known to have saved the webhook');
    await eventually(async () => expect((await deliveries())[0]).toMatchObject({ status: 'failed', error: unknown }));
    expect(received).toEqual([]);
  });

  test('does not suffice for events with phones and addresses', async () => {
    const { owner, setRole, deliveries } = await integration({ events: ['customer.created'] });
    await owner.post('/api/v1/roles', { name: 'Masked', permissions: ['settings.api_clients', 'customers.view'] });
    await setRole('Masked');
    await owner.post('/api/v1/customers', { first_name: 'Meera', phone: '+919876543210' });
    const error = expect.stringContaining('does not have the permission customers.view_sensitive');
    await eventually(async () => expect(await deliveries()).toMatchObject([{ status: 'failed', error }]));
    expect(received).toEqual([]);
  });
});

describe('a delivery that fails', () => {
  test('can be read with its payload, by those who see phones whole, until it is delivered', async () => {
    answer = { status: 500, body: 'sorry', headers: {} };
    const { tenant, owner, id, deliveries } = await webhook();
    await owner.post(`${path}/${id}/test`);
    await eventually(async () => expect(await deliveries()).toMatchObject([{ status: 'pending', attempts: 1 }]));
    const [failed] = await deliveries();
    const url = `${path}/${id}/deliveries/${failed.id}`;
    const { body } = await owner.get(url);
    expect(body.delivery).toMatchObject({ ...failed, payload: received[0]?.body });
    expect(JSON.parse(body.delivery.payload)).toMatchObject({ type: 'webhook.test', data: { webhook_id: id } });
    const clerk = await platform.person({ tenant, role: 'Viewer' });
    await owner.post('/api/v1/roles', { name: 'Integrator', permissions: ['settings.api_clients'] });
    await owner.patch(`/api/v1/team/${clerk.id}`, { role: 'Integrator' });
    const masked = await clerk.get(url);
    expect(masked.body.delivery).toEqual({ ...body.delivery, payload: null });
    const missing = await owner.get(`${path}/${id}/deliveries/${id}`);
    expect(missing).toMatchObject({ status: 404, body: { code: 'webhooks.delivery_not_found' } });

    answer = { status: 204, body: '', headers: {} };
    await attempt(tenant, failed.id);
    expect((await owner.get(url)).body.delivery).toMatchObject({ status: 'delivered', payload: null });
  });

  test('is tried again after seconds, with the same id and body', async () => {
    answer = { status: 500, body: `sorry${'.'.repeat(2_000)}`, headers: {} };
    const { tenant, owner, id, deliveries } = await webhook();
    await owner.post(`${path}/${id}/test`);
    await eventually(async () => expect(await deliveries()).toMatchObject([{ status: 'pending', attempts: 1 }]));
    const [failed] = await deliveries();
    expect(failed).toMatchObject({
      response_status: 500,
      error: 'The response has the status 500.',
      can_redeliver: true,
      next_attempt_at: new Date(now + 5_000).toISOString(),
    });
    expect(failed.response_body).toHaveLength(1_024);

    answer = { status: 204, body: '', headers: {} };
    await attempt(tenant, failed.id);
    expect(await deliveries()).toMatchObject([{ status: 'delivered', attempts: 2, can_redeliver: false }]);
    const [first, second] = received as [Received, Received];
    expect({ id: second.headers['webhook-id'], body: second.body }).toEqual({
      id: first.headers['webhook-id'],
      body: first.body,
    });
  });

  test('counts as failed when the server redirects or cannot be reached', async () => {
    answer = { status: 302, body: '', headers: { location: 'https://169.254.169.254/' } };
    const { tenant, owner, id, deliveries } = await webhook();
    await owner.post(`${path}/${id}/test`);
    await eventually(async () => expect(await deliveries()).toMatchObject([{ attempts: 1, response_status: 302 }]));
    await owner.patch(`${path}/${id}`, { url: 'http://127.0.0.1:1/' });
    await attempt(tenant, (await deliveries())[0].id);
    const error = 'The host 127.0.0.1:1 cannot be reached: it refused the connection.';
    expect(await deliveries()).toMatchObject([{ status: 'pending', response_status: null, error }]);
  });

  test('disables the webhook after three days, mails the Owner and can be delivered again', async () => {
    answer = { status: 503, body: '', headers: {} };
    const { tenant, owner, id, deliveries } = await webhook();
    await owner.post(`${path}/${id}/test`);
    await eventually(async () => expect(await deliveries()).toMatchObject([{ attempts: 1 }]));
    let waited = 0;
    for (let [delivery] = await deliveries(); delivery.status === 'pending'; [delivery] = await deliveries()) {
      waited += Date.parse(delivery.next_attempt_at) - now;
      await attempt(tenant, delivery.id);
    }
    expect(waited / (24 * 3_600_000)).toBeCloseTo(3.15, 1);
    expect(await deliveries()).toMatchObject([{ status: 'failed', attempts: 10, can_redeliver: true }]);
    const { webhook: disabled } = (await owner.get(`${path}/${id}`)).body;
    expect(disabled).toMatchObject({ is_active: false, disabled_at: new Date(now).toISOString() });
    expect((await platform.mailTo(owner.email, /webhook was disabled/)).text).toContain(url);
    await eventually(async () => {
      const { notifications } = (await owner.get('/api/v1/notifications?type=webhook.disabled')).body;
      const expected = { title: 'A webhook was disabled', action_url: `/developers/webhooks/${id}` };
      expect(notifications).toMatchObject([{ ...expected, body: expect.stringContaining(url) }]);
    });

    answer = { status: 200, body: '', headers: {} };
    const redeliver = `${path}/${id}/deliveries/${(await deliveries())[0].id}/redeliver`;
    expect(await owner.post(redeliver)).toMatchObject({ status: 409, body: { code: 'webhooks.inactive' } });
    expect((await owner.patch(`${path}/${id}`, { is_active: true })).body.webhook.disabled_at).toBeNull();
    expect(await owner.post(redeliver)).toMatchObject({ status: 202, body: { delivery: { status: 'pending' } } });
    await eventually(async () => expect(await deliveries()).toMatchObject([{ status: 'delivered' }]));
    expect(await owner.post(redeliver)).toMatchObject({ status: 409, body: { code: 'webhooks.payload_deleted' } });
  });

  test('does not disable a webhook that has received another event meanwhile', async () => {
    answer = { status: 503, body: '', headers: {} };
    const { tenant, owner, id, deliveries } = await webhook();
    await owner.post(`${path}/${id}/test`);
    await eventually(async () => expect(await deliveries()).toMatchObject([{ attempts: 1 }]));
    await tenant.db.run(sql`UPDATE webhook_deliveries SET attempts = 9`);
    await tenant.db.run(sql`UPDATE webhooks SET last_delivered_at = ${new Date(now)}`);
    await attempt(tenant, (await deliveries())[0].id);
    expect(await deliveries()).toMatchObject([{ status: 'failed' }]);
    expect((await owner.get(`${path}/${id}`)).body.webhook).toMatchObject({ is_active: true });
  });

  test('with 410 disables the webhook at once', async () => {
    answer = { status: 410, body: '', headers: {} };
    const { owner, id, deliveries } = await webhook();
    await owner.post(`${path}/${id}/test`);
    await eventually(async () => expect(await deliveries()).toMatchObject([{ status: 'failed', attempts: 1 }]));
    expect((await owner.get(`${path}/${id}`)).body.webhook).toMatchObject({ is_active: false });
  });

  test('ends when the webhook is switched off', async () => {
    answer = { status: 500, body: '', headers: {} };
    const { tenant, owner, id, deliveries } = await webhook();
    await owner.post(`${path}/${id}/test`);
    await eventually(async () => expect(await deliveries()).toMatchObject([{ attempts: 1 }]));
    await owner.patch(`${path}/${id}`, { is_active: false });
    await attempt(tenant, (await deliveries())[0].id);
    expect(await deliveries()).toMatchObject([{ status: 'failed', error: 'The webhook is not active.' }]);
    expect(received).toHaveLength(1);
  });
});

test('events are stored only for tenants with an active webhook', async () => {
  const acme = await (await startPlatform({ environment: allowReceiver })).tenant();
  const caller = acme.caller('settings.api_clients', 'customers.view_sensitive', 'products.create');
  const stored = async (sku: string) => {
    await caller.post('/api/v1/products', { sku, title: 'Tea', price: '10' });
    return acme.db.rows(sql`SELECT name, listener FROM event_deliveries WHERE listener LIKE 'webhooks/%'`);
  };
  expect(await stored('A')).toEqual([]);
  const { id } = (await caller.post(path, { url, events: ['*'] })).body.webhook;
  const delivery = { name: 'product.created', listener: 'webhooks/deliver' };
  expect(await stored('B')).toEqual([delivery]);
  await caller.patch(`${path}/${id}`, { is_active: false });
  expect(await stored('C')).toEqual([delivery]);
});

test('an event that is received twice is delivered once', async () => {
  const { tenant, deliveries } = await webhook();
  const listener = platform.kernel.modules
    .find(({ alias }) => alias === 'webhooks')
    ?.definition.listeners?.find(({ name }) => name === 'deliver');
  const event = {
    id: tenant.context('webhooks').newId(),
    name: 'product.created',
    emittedAt: new Date(now).toISOString(),
  };
  await listener?.run(tenant.context('webhooks'), { product: {} }, event);
  await listener?.run(tenant.context('webhooks'), { product: {} }, event);
  await eventually(async () => expect(await deliveries()).toMatchObject([{ status: 'delivered' }]));
  expect(received).toHaveLength(1);
});

test.each(['anonymize', 'hard'])('%s removes what deliveries hold about the customer', async (mode) => {
  answer = { status: 500, body: '', headers: {} };
  const { tenant, owner, id, deliveries } = await webhook({ events: ['customer.created'] });
  const { body } = await owner.post('/api/v1/customers', { first_name: 'Meera', email: 'meera@example.com' });
  await eventually(async () => expect(await deliveries()).toMatchObject([{ status: 'pending', attempts: 1 }]));
  await owner.delete(`/api/v1/customers/${body.customer.id}?mode=${mode}`);
  expect(await deliveries()).toMatchObject([
    { status: 'failed', can_redeliver: true, error: 'The customer was erased.' },
  ]);
  received.length = 0;
  const [delivery] = await deliveries();
  await owner.post(`${path}/${id}/deliveries/${delivery.id}/redeliver`);
  await eventually(() => expect(received).toHaveLength(1));
  expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({
    data: { customer: { id: body.customer.id, email: null } },
  });
  expect(JSON.stringify(await tenant.db.rows(sql`SELECT * FROM webhook_deliveries`))).not.toContain('meera');
});

test('deliveries are deleted after thirty days', async () => {
  const { tenant, owner, id, deliveries } = await webhook();
  await owner.post(`${path}/${id}/test`);
  await eventually(async () => expect(await deliveries()).toMatchObject([{ status: 'delivered' }]));
  const prune = () => jobs['webhooks.prune'].run(tenant.context('webhooks'), {});
  now += 29 * 24 * 3_600_000;
  expect(await prune()).toEqual({ deleted: 0 });
  now += 2 * 24 * 3_600_000;
  expect(await prune()).toEqual({ deleted: 1 });
});

test('a tenant has fifty webhooks at most', async () => {
  const { tenant, owner } = await webhook();
  await tenant.db.run(sql`
    INSERT INTO webhooks (id, url, events, is_active, secret, created_at, updated_at)
    SELECT gen_random_uuid(), 'https://shop.example', '{*}', false, '', now(), now() FROM generate_series(1, 49)`);
  expect(await owner.post(path, { url, events: ['*'] })).toMatchObject({
    status: 409,
    body: { code: 'webhooks.too_many' },
  });
});
