import { sql } from '@chowk/kit/kernel';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { type Person, startAccounts } from '../../testing/accounts.ts';
import { eventually } from '../../testing/eventually.ts';
import type { TestTenant } from '../../testing/platform.ts';
import { getPort } from '../../testing/raw-http.ts';
import { SubscriptionClient } from '../../testing/subscription-client.ts';
import { createHttpServer } from '../http/server.ts';

/* Subscriptions of members, with the library that frontends use, in two processes. */

const environment = { RATE_LIMIT_PER_MINUTE: '0' };
let hoursAhead = 0;
const now = () => new Date(Date.now() + hoursAhead * 3_600_000);
const platform = await startAccounts({ environment, now });
const second = await startAccounts({ environment, sharedWith: platform });
const { kernel } = platform;
const acme = await platform.tenant();
const globex = await platform.tenant();
const owner = await platform.person({ tenant: acme });

beforeAll(async () => {
  for (const { app } of [platform, second]) await app.listen({ host: '127.0.0.1', port: 0 });
});

const tea = { name: 'Tea', quantity: 2, price: '4.50' };
const contact = { first_name: 'Asha', phone: '9876543210' };
const address = { address1: '12 MG Road', city: 'Pune', phone: '9876543210' };

const connectionParams = ({ accessToken }: Person, { id }: TestTenant = acme) => ({
  Authorization: `Bearer ${accessToken}`,
  'X-Tenant': id,
});
const createClient = (person: Person, tenant = acme, process: typeof platform = platform) =>
  new SubscriptionClient(process, connectionParams(person, tenant));

async function createOrder(person = owner, fields: object = {}) {
  const { status, body } = await person.post('/api/v1/orders', { items: [tea], customer: contact, ...fields });
  expect(status).toBe(201);
  return body.order;
}

const orderNumbers = 'subscription { orderCreated { order { order_number } } }';
const numbersIn = ({ events }: { events: { data: { orderCreated: { order: { order_number: string } } } }[] }) =>
  events.map(({ data }) => data.orderCreated.order.order_number);

test('a subscriber gets the event with the relations that it selects', async () => {
  const { id, order_number } = await createOrder();
  const received = await createClient(owner).subscribe(`subscription {
    orderStatusChanged { previous_status reason order { order_number status customer { first_name total_orders } history { status } } }
  }`);
  await owner.post(`/api/v1/orders/${id}/status`, { status: 'processing', reason: 'Paid' });
  const order = {
    order_number,
    status: 'processing',
    customer: { first_name: 'Asha', total_orders: 1 },
    history: [{ status: 'pending' }, { status: 'processing' }],
  };
  const orderStatusChanged = { previous_status: 'pending', reason: 'Paid', order };
  await eventually(() => expect(received.events).toEqual([{ data: { orderStatusChanged } }]));
});

test('a subscription can be about one record', async () => {
  const [first, other] = [await createOrder(), await createOrder()];
  const query = 'subscription ($id: ID) { orderStatusChanged(id: $id) { order { id } } }';
  const one = await createClient(owner).subscribe(query, { variables: { id: first.id } });
  const all = await createClient(owner).subscribe(query);
  for (const { id } of [other, first]) await owner.post(`/api/v1/orders/${id}/status`, { status: 'processing' });
  const event = (id: string) => ({ data: { orderStatusChanged: { order: { id } } } });
  await eventually(() => expect(all.events).toHaveLength(2));
  await eventually(() => expect(one.events).toEqual([event(first.id)]));
});

test('events reach the subscribers of all processes, from each process, in the order of the changes', async () => {
  const clients = [
    await createClient(owner).subscribe(orderNumbers),
    await createClient(owner, acme, second).subscribe(orderNumbers),
  ];
  const headers = { authorization: `Bearer ${owner.accessToken}`, 'x-tenant': acme.id };
  const created: string[] = [];
  for (const { request } of [platform, second, platform, second]) {
    const { body } = await request({
      method: 'POST',
      url: '/api/v1/orders',
      headers,
      payload: { items: [tea], customer: contact },
    });
    created.push(body.order.order_number);
  }
  for (const received of clients) await eventually(() => expect(numbersIn(received).toSorted()).toEqual(created));
  const updates = [
    await createClient(owner).subscribe('subscription { orderStatusChanged { order { status } } }'),
    await createClient(owner, acme, second).subscribe('subscription { orderStatusChanged { order { status } } }'),
  ];
  const { id } = await createOrder();
  for (const status of ['processing', 'shipped', 'delivered']) {
    await owner.post(`/api/v1/orders/${id}/status`, { status });
  }
  for (const { events } of updates) {
    await eventually(() =>
      expect(events.map(({ data }) => data.orderStatusChanged.order.status)).toEqual([
        'processing',
        'shipped',
        'delivered',
      ]),
    );
  }
});

test("a member of two tenants gets each tenant's events only there", async () => {
  const asha = await platform.person({ tenant: acme });
  await platform.join(asha, globex);
  const inAcme = await createClient(asha, acme).subscribe(orderNumbers);
  const inGlobex = await createClient(asha, globex).subscribe(orderNumbers);
  const here = await createOrder(asha);
  const there = await asha.post('/api/v1/orders', { items: [tea], customer: contact }, { 'x-tenant': globex.id });
  await eventually(() => expect(numbersIn(inAcme)).toEqual([here.order_number]));
  await eventually(() => expect(numbersIn(inGlobex)).toEqual([there.body.order.order_number]));
  expect([inAcme.events.length, inGlobex.events.length]).toEqual([1, 1]);
});

test('users get their own notifications only', async () => {
  const ravi = await platform.person({ tenant: acme, role: 'Viewer' });
  const query = 'subscription { notificationCreated { notification { title user_id } } }';
  const [own, other] = [await createClient(owner).subscribe(query), await createClient(ravi).subscribe(query)];
  const notify = (id: number, title: string) => acme.context('orders').notify(id, { type: 'order.created', title });
  await notify(owner.id, 'For the owner');
  await notify(ravi.id, 'For Ravi');
  const expectedEvent = (title: string, user_id: number) => ({
    data: { notificationCreated: { notification: { title, user_id: String(user_id) } } },
  });
  // The owner also hears of the orders of other tests.
  const aboutPeople = ({ events }: typeof own) => events.filter((event) => JSON.stringify(event).includes('"For '));
  await eventually(() => expect(aboutPeople(own)).toEqual([expectedEvent('For the owner', owner.id)]));
  await eventually(() => expect(aboutPeople(other)).toEqual([expectedEvent('For Ravi', ravi.id)]));
});

test('webhooks cannot choose the notifications of users', async () => {
  const { body } = await owner.get('/api/v1/webhooks/events');
  const names = body.events.map(({ name }: { name: string }) => name);
  expect(names).toContain('order.created');
  expect(names).not.toContain('notification.created');
});

test('a subscriber sees no more of an event than REST shows', async () => {
  const viewer = await platform.person({ tenant: acme, role: 'Viewer' });
  const fields = 'shipping_address { address1 city phone }';
  const query = `subscription { orderCreated { order { id ${fields} customer { phone } } } }`;
  const whole = await createClient(owner).subscribe(query);
  const masked = await createClient(viewer).subscribe(query);
  const snapshot = await createClient(viewer).subscribe(`subscription { orderCreated { order { ${fields} } } }`);
  const created = await createOrder(owner, { shipping_address: address });
  for (const [person, { events }] of [
    [owner, whole],
    [viewer, masked],
  ] as const) {
    const { body } = await person.get(`/api/v1/orders/${created.id}`);
    const { id, shipping_address, customer } = body.order;
    const { address1, city, phone } = shipping_address;
    const order = { id, shipping_address: { address1, city, phone }, customer: { phone: customer.phone } };
    await eventually(() => expect(events).toEqual([{ data: { orderCreated: { order } } }]));
  }
  await eventually(() => expect(snapshot.events).toHaveLength(1));
  expect(JSON.stringify([masked.events, snapshot.events])).not.toMatch(/MG Road|98765/);
  expect(JSON.stringify(whole.events)).toMatch(/MG Road/);
});

test("the customer's phone is masked for a subscriber without the permission to see it", async () => {
  const viewer = await platform.person({ tenant: acme, role: 'Viewer' });
  const query = 'subscription { customerUpdated { changed customer { phone first_name } } }';
  const [whole, masked] = [await createClient(owner).subscribe(query), await createClient(viewer).subscribe(query)];
  const { body } = await owner.post('/api/v1/customers', { first_name: 'Mira', phone: '+919812345678' });
  await owner.patch(`/api/v1/customers/${body.customer.id}`, { first_name: 'Meera' });
  const expectedEvent = (phone: string) => ({
    data: { customerUpdated: { changed: ['first_name'], customer: { phone, first_name: 'Meera' } } },
  });
  await eventually(() => expect(whole.events).toEqual([expectedEvent('+919812345678')]));
  await eventually(() => expect(masked.events).toEqual([expectedEvent('+**********78')]));
});

test('a change that is rolled back is never seen', async () => {
  const received = await createClient(owner).subscribe('subscription { productCreated { product { sku } } }');
  const created = await owner.post('/api/v1/products', { title: 'Cup', price: '3.00', sku: 'CUP-1' });
  const { product } = created.body;
  const failing = acme.context('products').tx(async (tx) => {
    await tx.emit('product.created', { product: { ...product, sku: 'NEVER' } });
    throw new Error('rolled back');
  });
  await expect(failing).rejects.toThrow('rolled back');
  await acme.context('products').emit('product.created', { product: { ...product, sku: 'CUP-2' } });
  const skus = () => received.events.map(({ data }) => data.productCreated.product.sku);
  await eventually(() => expect(skus()).toEqual(['CUP-1', 'CUP-2']));
});

test('signing out closes the sockets of the session, in all processes, and of no other', async () => {
  const asha = await platform.person({ tenant: acme });
  const clients = [createClient(asha), createClient(asha, acme, second)];
  for (const client of clients) await client.subscribe(orderNumbers);
  const other = await createClient(owner).subscribe(orderNumbers);
  expect((await asha.post('/api/v1/auth/logout')).status).toBe(200);
  for (const { closed } of clients) await eventually(() => expect(closed).toEqual([4401]));
  const { order_number } = await createOrder();
  await eventually(() => expect(numbersIn(other)).toEqual([order_number]));
});

test('an event after the end of the session is not sent, even before the socket is closed', async () => {
  const asha = await platform.person({ tenant: acme });
  const client = createClient(asha);
  const received = await client.subscribe(orderNumbers);
  await asha.post('/api/v1/auth/logout');
  await createOrder();
  await eventually(() => expect(client.closed).toEqual([4401]));
  expect(received.events).toEqual([]);
});

test('a removed member loses the sockets of this tenant only', async () => {
  const asha = await platform.person({ tenant: acme, role: 'Agent' });
  await platform.join(asha, globex);
  const inAcme = createClient(asha);
  await inAcme.subscribe(orderNumbers);
  const inGlobex = createClient(asha, globex);
  await inGlobex.subscribe(orderNumbers);
  expect((await owner.delete(`/api/v1/team/${asha.id}`)).status).toBe(200);
  await eventually(() => expect(inAcme.closed).toEqual([4403]));
  expect(inGlobex.closed).toEqual([]);
});

test('a client whose token expires connects again with a new one', async () => {
  const asha = await platform.person({ tenant: acme });
  const refresh = async () => {
    const payload = { refresh_token: asha.refreshToken };
    const { body } = await platform.request({ method: 'POST', url: '/api/v1/auth/refresh', payload });
    return body.access_token as string;
  };
  const tokens = [async () => asha.accessToken, refresh];
  const params = async () => ({ token: await tokens.shift()?.(), 'X-Tenant': acme.id });
  const client = new SubscriptionClient(platform, params, { retryAttempts: 1, retryWait: async () => {} });
  await client.subscribe(orderNumbers);
  const { calls } = vi.spyOn(kernel.feed, 'subscribe').mock;
  const before = calls.length;
  hoursAhead = 1;
  onTestFinished(() => {
    hoursAhead = 0;
  });
  await eventually(() => expect([client.closed, calls.length]).toEqual([[4403], before + 1]));
});

test('a subscriber who loses the permission gets an error and no further event', async () => {
  const asha = await platform.person({ tenant: acme, role: 'Agent' });
  const client = createClient(asha);
  const orders = await client.subscribe(orderNumbers);
  const notifications = await client.subscribe('subscription { notificationCreated { notification { id } } }');
  const role = await owner.post('/api/v1/roles', { name: 'Quiet', permissions: ['notifications.view'] });
  expect(role.status).toBe(201);
  const changed = await owner.patch(`/api/v1/team/${asha.id}`, { role: 'Quiet' });
  expect(changed.status).toBe(200);
  await eventually(() => expect(orders.errors).toMatchObject([[{ extensions: { code: 'FORBIDDEN' } }]]));
  expect([notifications.errors, client.closed]).toEqual([[], []]);
});

test('a module that is disabled ends the subscriptions to its events', async () => {
  const tenant = await platform.tenant();
  const person = await platform.person({ tenant });
  const received = await createClient(person, tenant).subscribe(orderNumbers);
  await kernel.installations.set(tenant.id, 'orders', 'disabled');
  await eventually(() => expect(received.errors).toMatchObject([[{ extensions: { code: 'NOT_FOUND' } }]]));
  const refused = createClient(person, tenant).start(orderNumbers);
  await eventually(() =>
    expect(refused.errors).toMatchObject([[{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }]]),
  );
});

test('a tenant that moves to another ring: its sockets are closed with the code to reconnect', async () => {
  const tenant = await platform.tenant();
  const client = createClient(await platform.person({ tenant }), tenant);
  await client.subscribe(orderNumbers);
  await kernel.central.db.run(sql`
    WITH edge AS (
      INSERT INTO module_rings (name, display_name, manifest_path, k8s_namespace, k8s_service, hostname_segment)
      VALUES ('edge', 'Edge', '', 'chowk-edge', 'web', 'edge') RETURNING id)
    UPDATE tenants SET module_ring_id = (SELECT id FROM edge) WHERE id = ${tenant.id}`);
  await eventually(() => expect(client.closed).toEqual([4200]));
});

test('after a restart a client reconnects and gets events again', async () => {
  const first = await createHttpServer(kernel);
  await first.listen({ host: '127.0.0.1', port: 0 });
  const port = getPort(first);
  const restarted = Promise.withResolvers<void>();
  const retries = { retryAttempts: 1, retryWait: () => restarted.promise };
  const client = new SubscriptionClient({ kernel, app: first }, connectionParams(owner), retries);
  const received = await client.subscribe(orderNumbers);
  const { calls } = vi.spyOn(kernel.feed, 'subscribe').mock;
  const before = calls.length;
  await first.close();
  await eventually(() => expect(client.closed).toEqual([4200]));
  const next = await createHttpServer(kernel);
  onTestFinished(() => next.close());
  await next.listen({ host: '127.0.0.1', port });
  restarted.resolve();
  await eventually(() => expect(calls.length).toBe(before + 1));
  const { order_number } = await createOrder();
  await eventually(() => expect(numbersIn(received)).toEqual([order_number]));
  // Otherwise the client would try to reconnect after the test.
  received.end();
});
