import { sql } from '@chowk/kit';
import { describe, expect, test, vi } from 'vitest';
import { type Person, startAccounts } from '../../../server/testing/accounts.ts';
import { eventually } from '../../../server/testing/eventually.ts';
import type { TestTenant } from '../../../server/testing/platform.ts';
import { applyRules } from './apply-rules.ts';

const platform = await startAccounts();
const path = '/api/v1/notification-rules';
const meera = { first_name: 'Meera', last_name: 'Iyer', phone: '+919876543210', email: 'meera@example.com' };
const items = [{ name: 'Tea', quantity: 2, price: '250' }];

const shipped = {
  event: 'order.status_changed',
  conditions: [
    { field: 'order.status', operator: 'eq', value: 'shipped' },
    { field: 'order.total', operator: 'gte', value: 500 },
  ],
  channel: 'sms',
  template: {
    subject: 'Order {{order_number}}',
    body: 'Hello {{customer_name}}, order {{order_number}} for {{total}} is {{order.status}}.',
  },
};

async function shop() {
  const tenant = await platform.tenant({ name: 'Chai & Co' });
  const owner = await platform.person({ tenant });
  return { tenant, owner };
}

async function rule(owner: Person, fields: object = {}) {
  const { status, body } = await owner.post(path, { ...shipped, ...fields });
  expect(status).toBe(201);
  const deliveries = async (person = owner) => (await person.get(`${path}/${body.rule.id}/deliveries`)).body.deliveries;
  return { id: body.rule.id as string, deliveries };
}

async function order(owner: Person, customer: object = meera, fields: object = {}) {
  const { body } = await owner.post('/api/v1/orders', { customer, items, status: 'processing', ...fields });
  return body.order;
}

const ship = (owner: Person, { id }: { id: string }) => owner.patch(`/api/v1/orders/${id}`, { status: 'shipped' });

/** Applies all rules to all events so far. */
const applied = (tenant: TestTenant) =>
  eventually(async () => expect(await tenant.db.rows(sql`SELECT FROM event_deliveries`)).toEqual([]));

/** Delivers an event to the rules. */
async function redeliver(tenant: TestTenant, payload: object, id?: string): Promise<void> {
  const ctx = tenant.context('notifications');
  await applyRules(ctx, payload, {
    id: id ?? ctx.newId(),
    name: 'order.status_changed',
    emittedAt: ctx.now().toISOString(),
  });
}

describe('when an order is shipped', () => {
  test('its customer gets the SMS of the rule, even without consent to marketing', async () => {
    const { owner } = await shop();
    const { deliveries } = await rule(owner);
    const placed = await order(owner);
    await ship(owner, placed);
    await eventually(async () => expect(await deliveries()).toMatchObject([{ status: 'sent' }]));
    expect(await deliveries()).toMatchObject([
      {
        channel: 'sms',
        provider: 'log',
        recipient: meera.phone,
        subject: null,
        attempts: 1,
        reason: null,
        body: `Hello Meera Iyer, order ${placed.order_number} for INR 500.00 is shipped.`,
        customer_id: placed.customer_id,
      },
    ]);
  });

  test('its customer gets the mail of the rule, from the organization', async () => {
    const { tenant, owner } = await shop();
    const email = `${tenant.id}@example.com`;
    await rule(owner, { channel: 'email' });
    const placed = await order(owner, { ...meera, email, first_name: '<i>Meera</i>' });
    await ship(owner, placed);
    const mail = await platform.mailTo(email);
    expect(mail).toMatchObject({
      subject: `Order ${placed.order_number}`,
      from: expect.stringContaining('Chai & Co <'),
    });
    expect(mail.text).toContain(`Hello <i>Meera</i> Iyer, order ${placed.order_number} for INR 500.00 is shipped.`);
    expect(mail.html).toContain('Hello &#60;i&#62;Meera&#60;/i&#62; Iyer');
  });

  test('a role of the team is notified in the console, without the phone of the customer', async () => {
    const { tenant, owner } = await shop();
    const [manager, agent] = [
      await platform.person({ tenant, role: 'Manager' }),
      await platform.person({ tenant, role: 'Agent' }),
    ];
    const template = {
      subject: null,
      body: '{{customer_name}} {{customer_phone}} {{order.shipping_address.phone}} {{order.shipping_address.address1}}!',
    };
    const { deliveries } = await rule(owner, { channel: 'in_app', recipient: { role: 'manager' }, template });
    const placed = await order(owner, meera, { shipping_address: { phone: '9876543210', address1: '5 Hill Road' } });
    await ship(owner, placed);
    await eventually(async () =>
      expect(await deliveries()).toMatchObject([{ status: 'sent', recipient: 'role manager' }]),
    );
    const { notifications } = (await manager.get('/api/v1/notifications?module=notifications')).body;
    expect(notifications).toMatchObject([
      {
        type: 'order.status_changed',
        title: 'The status was changed, possibly with other fields',
        body: 'Meera Iyer +**********10 ********10 !',
        action_url: `/orders/${placed.id}`,
        data: { order_id: placed.id },
      },
    ]);
    expect((await agent.get('/api/v1/notifications?module=notifications')).body.notifications).toEqual([]);
  });

  test('a member of the team who has left is skipped', async () => {
    const { tenant, owner } = await shop();
    const manager = await platform.person({ tenant, role: 'Manager' });
    const { deliveries } = await rule(owner, { channel: 'in_app', recipient: { user_id: manager.id } });
    await owner.delete(`/api/v1/team/${manager.id}`);
    await ship(owner, await order(owner));
    const reason = 'No member of the team is the recipient.';
    await eventually(async () => expect(await deliveries()).toMatchObject([{ status: 'skipped', reason }]));
  });

  test('a customer without the contact field is skipped, with a warning and a reason', async () => {
    const warn = vi.spyOn(platform.kernel.log, 'warn');
    const { owner } = await shop();
    const [text, mail] = [await rule(owner), await rule(owner, { channel: 'email' })];
    await ship(owner, await order(owner, { first_name: 'Ravi' }));
    await eventually(async () => {
      expect(await text.deliveries()).toMatchObject([
        { status: 'skipped', reason: 'The customer has no phone number.', attempts: 0 },
      ]);
      expect(await mail.deliveries()).toMatchObject([
        { status: 'skipped', reason: 'The customer has no email address.' },
      ]);
    });
    const warnings = warn.mock.calls.filter(([fields]) => (fields as { rule?: string }).rule === text.id);
    expect(warnings).toMatchObject([
      [{ channel: 'sms' }, 'a notification was skipped: The customer has no phone number.'],
    ]);
    warn.mockRestore();
  });

  test('rules whose conditions do not hold, and inactive ones, do nothing', async () => {
    const { tenant, owner } = await shop();
    const rules = [
      await rule(owner, { is_active: false }),
      await rule(owner, { conditions: [{ field: 'order.total', operator: 'gt', value: '500' }] }),
      await rule(owner, { event: 'order.deleted', conditions: [] }),
    ];
    const matching = await rule(owner);
    await ship(owner, await order(owner));
    await eventually(async () => expect(await matching.deliveries()).toHaveLength(1));
    await applied(tenant);
    for (const { deliveries } of rules) expect(await deliveries()).toEqual([]);
  });

  test('each rule is applied once, however often the event is delivered', async () => {
    const { tenant, owner } = await shop();
    const { deliveries } = await rule(owner);
    const placed = await order(owner);
    const payload = { order: { ...placed, status: 'shipped' }, previous_status: 'processing', reason: null };
    const id = tenant.context('notifications').newId();
    await Promise.all(Array.from({ length: 8 }, () => redeliver(tenant, payload, id)));
    await eventually(async () => expect(await deliveries()).toMatchObject([{ status: 'sent', attempts: 1 }]));
  });
});

test('a rule can react to any event, such as a customer or low stock', async () => {
  const { owner } = await shop();
  const welcome = await rule(owner, {
    event: 'customer.created',
    conditions: [],
    template: { body: 'Welcome, {{customer.first_name}}' },
  });
  const stock = await rule(owner, {
    event: 'product.stock_changed',
    channel: 'in_app',
    recipient: { user_id: owner.id },
    conditions: [{ field: 'low_stock', operator: 'eq', value: true }],
    template: { subject: '{{product.title}} is low', body: '{{product.available}} left' },
  });
  await owner.post('/api/v1/customers', meera);
  const { product } = (await owner.post('/api/v1/products', { sku: 'TEA', title: 'Tea', price: '10' })).body;
  await owner.post(`/api/v1/products/${product.id}/stock`, { change: 1, reason: 'count' });
  await eventually(async () => expect(await welcome.deliveries()).toMatchObject([{ body: 'Welcome, Meera' }]));
  await eventually(async () =>
    expect(await stock.deliveries()).toMatchObject([{ subject: 'Tea is low', body: '1 left' }]),
  );
});

test('events are stored for the rules only in tenants with an active rule for them', async () => {
  const { tenant, owner } = await shop();
  const { id } = await rule(owner, { is_active: false });
  const placed = await order(owner);
  const written = vi.spyOn(platform.kernel.deliveries, 'wake');
  await ship(owner, placed);
  expect(written.mock.calls.filter(([{ id: tenantId }]) => tenantId === tenant.id)).toEqual([]);
  await owner.patch(`${path}/${id}`, { is_active: true });
  await owner.post('/api/v1/customers', { first_name: 'Ravi' });
  expect(written.mock.calls.filter(([{ id: tenantId }]) => tenantId === tenant.id)).toEqual([]);
  written.mockRestore();
});

test('the rules of one tenant never see the events of another', async () => {
  const [one, other] = [await shop(), await shop()];
  const { deliveries } = await rule(one.owner);
  const own = await rule(other.owner);
  await ship(other.owner, await order(other.owner));
  await eventually(async () => expect(await own.deliveries()).toHaveLength(1));
  expect(await deliveries()).toEqual([]);
});

test('the delivery log masks the phone and hides the text without customers.view_sensitive', async () => {
  const { tenant, owner } = await shop();
  const { deliveries } = await rule(owner);
  await ship(owner, await order(owner));
  await eventually(async () => expect(await deliveries()).toMatchObject([{ status: 'sent' }]));
  const manager = await platform.person({ tenant, role: 'Manager' });
  expect(await deliveries(manager)).toMatchObject([{ recipient: '+**********10', body: null, status: 'sent' }]);
});

test.each(['anonymize', 'hard'])('%s removes the messages and the notifications about the customer', async (mode) => {
  const { tenant, owner } = await shop();
  const notice = await rule(owner, { channel: 'in_app', recipient: { user_id: owner.id } });
  const text = await rule(owner);
  const placed = await order(owner);
  await ship(owner, placed);
  await eventually(async () => {
    expect([...(await notice.deliveries()), ...(await text.deliveries())]).toMatchObject([
      { status: 'sent' },
      { status: 'sent' },
    ]);
  });
  if (mode === 'hard') await owner.delete(`/api/v1/orders/${placed.id}`);
  expect(await owner.delete(`/api/v1/customers/${placed.customer_id}?mode=${mode}`)).toMatchObject({ status: 200 });
  const rows = await tenant.db.rows(sql`
    SELECT to_jsonb(n) FROM notifications n UNION ALL SELECT to_jsonb(m) FROM messages m`);
  expect(JSON.stringify(rows)).not.toMatch(/Meera|98765/);
  expect((await owner.get('/api/v1/notifications/unread-count')).body).toEqual({ unread_count: 0 });
});

test.each(['anonymize', 'soft'])(
  'an event that is delivered after its customer was deleted (%s) makes no message with personal data',
  async (mode) => {
    const { tenant, owner } = await shop();
    const template = { subject: null, body: '{{order.shipping_address.first_name}}' };
    const rules = [
      await rule(owner, { template }),
      await rule(owner, { channel: 'in_app', recipient: { user_id: owner.id }, template }),
    ];
    const placed = await order(owner, meera, { shipping_address: { first_name: 'Meera' } });
    await owner.delete(`/api/v1/customers/${placed.customer_id}?mode=${mode}`);
    // As a worker that has read the event before.
    await redeliver(tenant, { order: { ...placed, status: 'shipped' }, previous_status: 'processing', reason: null });
    const skipped = {
      status: 'skipped',
      reason: 'The customer was deleted.',
      subject: null,
      body: null,
      customer_id: null,
    };
    for (const { deliveries } of rules) expect(await deliveries()).toMatchObject([skipped]);
    expect(await tenant.db.rows(sql`SELECT FROM notifications WHERE module = 'notifications'`)).toEqual([]);
  },
);

test('a customer who is erased while rules are applied leaves nothing behind', async () => {
  const { tenant, owner } = await shop();
  const template = { subject: null, body: '{{customer_name}} {{order.shipping_address.first_name}}' };
  await rule(owner, { template, conditions: [] });
  await rule(owner, { channel: 'in_app', recipient: { user_id: owner.id }, template, conditions: [] });
  for (let round = 0; round < 4; round += 1) {
    const placed = await order(owner, meera, { shipping_address: { first_name: 'Meera' } });
    const payload = { order: placed, previous_status: 'pending', reason: null };
    await Promise.all([
      ...Array.from({ length: 3 }, () => redeliver(tenant, payload)),
      owner.delete(`/api/v1/customers/${placed.customer_id}?mode=anonymize`),
    ]);
    const rows = await tenant.db.rows(sql`
      SELECT to_jsonb(n) FROM notifications n UNION ALL SELECT to_jsonb(m) FROM messages m`);
    expect(JSON.stringify(rows)).not.toContain('Meera');
  }
});

test('a deleted rule sends nothing more', async () => {
  const { tenant, owner } = await shop();
  const { id } = await rule(owner);
  await ship(owner, await order(owner));
  await applied(tenant);
  await owner.delete(`${path}/${id}`);
  expect(await tenant.db.rows(sql`SELECT FROM messages`)).toEqual([]);
});

describe('a test of a rule', () => {
  const sample = 'Hello Meera Iyer, order 1042 for INR 199.65 is pending.';

  test('goes to the address of the caller, with made-up data', async () => {
    const { owner } = await shop();
    const { id, deliveries } = await rule(owner, { channel: 'email' });
    await order(owner, { ...meera, first_name: 'Real' });
    const { status, body } = await owner.post(`${path}/${id}/test`);
    expect({ status, delivery: body.delivery }).toMatchObject({
      status: 202,
      delivery: { recipient: owner.email, event_id: null },
    });
    expect((await platform.mailTo(owner.email, /Order 1042/)).text).toContain(sample);
    await eventually(async () => expect(await deliveries()).toMatchObject([{ status: 'sent' }]));
    await owner.post(`${path}/${id}/test`);
    expect(await deliveries()).toHaveLength(2);
  });

  test('goes to the account of the caller', async () => {
    const { tenant, owner } = await shop();
    const { id } = await rule(owner, { channel: 'in_app', recipient: { role: 'Agent' } });
    const agent = await platform.person({ tenant, role: 'Agent' });
    expect(await owner.post(`${path}/${id}/test`)).toMatchObject({
      status: 202,
      body: { delivery: { status: 'sent' } },
    });
    expect((await owner.get('/api/v1/notifications')).body.notifications).toMatchObject([{ body: sample }]);
    expect((await agent.get('/api/v1/notifications')).body.notifications).toEqual([]);
    expect(await owner.post(`${path}/${id}/test`, { to: 'x@example.com' })).toMatchObject({ status: 422 });
  });

  test('over SMS needs a number', async () => {
    const { owner } = await shop();
    const { id, deliveries } = await rule(owner);
    expect((await owner.post(`${path}/${id}/test`)).body.errors).toHaveProperty('to');
    expect((await owner.post(`${path}/${id}/test`, { to: 'nobody' })).body.errors).toHaveProperty('to');
    expect(await owner.post(`${path}/${id}/test`, { to: '+14155552671' })).toMatchObject({ status: 202 });
    await eventually(async () =>
      expect(await deliveries()).toMatchObject([{ status: 'sent', recipient: '+14155552671', body: sample }]),
    );
  });

  test('to another address needs the permission to send', async () => {
    const { tenant, owner } = await shop();
    const { id } = await rule(owner);
    const role = { name: 'Rules', permissions: ['notifications.rules.manage'] };
    expect(await owner.post('/api/v1/roles', role)).toMatchObject({ status: 201 });
    const person = await platform.person({ tenant, role: 'Agent' });
    expect(await owner.patch(`/api/v1/team/${person.id}`, { role: 'Rules' })).toMatchObject({ status: 200 });
    expect(await person.post(`${path}/${id}/test`, { to: '+14155552671' })).toMatchObject({ status: 403 });
  });
});
