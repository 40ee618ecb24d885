import { sql } from '@chowk/kit';
import { describe, expect, test } from 'vitest';
import { type Person, startAccounts } from '../../../server/testing/accounts.ts';
import { eventually } from '../../../server/testing/eventually.ts';

/* Rules show and reveal only what the user who saved them may see. */

const platform = await startAccounts();
const path = '/api/v1/notification-rules';
const customer = { first_name: 'Meera', phone: '+919876543210', email: 'meera@example.com' };
const phoneCondition = { field: 'customer.phone', operator: 'contains', value: '98' };
const mail = { channel: 'email', template: { subject: 'Hello', body: 'Hello {{customer_name}}' } };
const customerRule = { event: 'customer.created', ...mail };
const forbidden = (permission: string) => ({
  status: 403,
  body: { message: `This needs the permission ${permission}.` },
});

async function shop() {
  const tenant = await platform.tenant();
  const owner = await platform.person({ tenant });
  const manager = await platform.person({ tenant, role: 'Manager' });
  const admin = await platform.person({ tenant, role: 'Admin' });
  const setRole = async (person: Person, role: string) =>
    expect(await owner.patch(`/api/v1/team/${person.id}`, { role })).toMatchObject({ status: 200 });
  return { tenant, owner, manager, admin, setRole };
}

async function save(person: Person, rule: object) {
  const { status, body } = await person.post(path, rule);
  expect(status).toBe(201);
  return body.rule as { id: string; saved_by: number | null };
}

const deliveries = async (person: Person, { id }: { id: string }) =>
  (await person.get(`${path}/${id}/deliveries`)).body.deliveries;

const isSkipped = (reason: RegExp) => [{ status: 'skipped', body: null, reason: expect.stringMatching(reason) }];

describe('without customers.view_sensitive', () => {
  test.each([
    ['a condition', { conditions: [phoneCondition] }],
    [
      'a condition in the team',
      {
        conditions: [phoneCondition],
        channel: 'in_app',
        recipient: { role: 'Manager' },
      },
    ],
    ['a text', { template: { subject: 'Hello', body: 'Call {{customer_phone}}' } }],
    ['a subject', { template: { subject: '{{ customer.phone }}', body: 'Hello' } }],
    ['an SMS', { channel: 'sms', template: { body: '{{customer_phone}}' } }],
  ])('a phone is refused in %s, also in a preview and a change', async (_, fields) => {
    const { owner, manager } = await shop();
    const refusal = forbidden('customers.view_sensitive');
    expect(await manager.post(path, { ...customerRule, ...fields })).toMatchObject(refusal);
    expect(await manager.post(`${path}/preview`, { ...customerRule, ...fields })).toMatchObject(refusal);
    const { id } = await save(manager, customerRule);
    expect(await manager.patch(`${path}/${id}`, fields)).toMatchObject(refusal);
    expect(await owner.patch(`${path}/${id}`, fields)).toMatchObject({
      status: 200,
      body: { rule: { saved_by: owner.id } },
    });
    expect(await manager.patch(`${path}/${id}`, { template: customerRule.template, channel: 'email' })).toMatchObject(
      'conditions' in fields ? refusal : { status: 200 },
    );
  });

  test('street addresses are refused too', async () => {
    const { manager } = await shop();
    const conditions = [{ field: 'order.shipping_address.address1', operator: 'contains', value: 'Park' }];
    expect(await manager.post(path, { ...customerRule, event: 'order.created', conditions })).toMatchObject(
      forbidden('customers.view_sensitive'),
    );
  });

  test('texts for the team are allowed, because they are masked', async () => {
    const { manager, owner } = await shop();
    const template = { subject: 'New', body: '{{customer_phone}} {{customer.phone}}' };
    const fields = { channel: 'in_app', recipient: { user_id: manager.id }, template };
    const rule = await save(manager, { ...customerRule, ...fields });
    await owner.post('/api/v1/customers', customer);
    await eventually(async () => expect(await deliveries(owner, rule)).toMatchObject([{ status: 'sent' }]));
    expect((await deliveries(owner, rule))[0].body).toBe('+**********10 +**********10');
  });

  test('the log hides the subject of a mail like its text', async () => {
    const { owner, manager } = await shop();
    const rule = await save(owner, { ...customerRule, template: { subject: '{{customer_phone}}', body: 'Hello' } });
    await owner.post('/api/v1/customers', customer);
    await eventually(async () => expect(await deliveries(owner, rule)).toMatchObject([{ subject: customer.phone }]));
    expect(await deliveries(manager, rule)).toMatchObject([{ subject: null, body: null }]);
  });

  test('forms do not offer the fields', async () => {
    const { manager, owner } = await shop();
    const offered = async (person: Person) => {
      const { events } = (await person.get(`${path}/events`)).body;
      const { fields, placeholders } = events.find(({ name }: { name: string }) => name === 'customer.created');
      return [...fields.map((field: { path: string }) => field.path), ...placeholders];
    };
    expect(await offered(owner)).toEqual(
      expect.arrayContaining(['customer.phone', 'customer_phone', 'customer.email']),
    );
    const names = await offered(manager);
    expect(names).toContain('customer.email');
    expect(names.filter((name) => /phone/.test(name))).toEqual([]);
  });
});

describe('when a rule is applied', () => {
  const sensitive = { ...customerRule, conditions: [{ ...phoneCondition, value: '555' }] };

  test('nothing is sent once its saver may no longer see the fields, whether the conditions hold or not', async () => {
    const { owner, admin, setRole } = await shop();
    const rule = await save(admin, sensitive);
    expect(rule.saved_by).toBe(admin.id);
    await setRole(admin, 'Manager');
    await owner.post('/api/v1/customers', customer);
    const reason =
      /^The user who saved the rule does not have the permission customers.view_sensitive; save the rule again/;
    await eventually(async () => expect(await deliveries(owner, rule)).toMatchObject(isSkipped(reason)));
    await owner.post('/api/v1/customers', { ...customer, email: 'a@example.com', phone: '+919875550000' });
    await eventually(async () => expect(await deliveries(owner, rule)).toHaveLength(2));
    expect((await deliveries(owner, rule))[0].status).toBe('skipped');
  });

  test('saving it again makes it work', async () => {
    const { owner, admin, setRole } = await shop();
    const rule = await save(admin, sensitive);
    await setRole(admin, 'Manager');
    expect((await owner.patch(`${path}/${rule.id}`, { is_active: true })).body.rule.saved_by).toBe(admin.id);
    expect((await owner.patch(`${path}/${rule.id}`, { conditions: [phoneCondition] })).body.rule.saved_by).toBe(
      owner.id,
    );
    await owner.post('/api/v1/customers', customer);
    await eventually(async () => expect(await deliveries(owner, rule)).toMatchObject([{ status: 'sent' }]));
  });

  test('nothing is sent once its saver has left the team', async () => {
    const { owner, admin } = await shop();
    const rule = await save(admin, customerRule);
    await owner.delete(`/api/v1/team/${admin.id}`);
    await owner.post('/api/v1/customers', customer);
    const reason =
      /no longer a member of the team and does not have the permission customers.view; save the rule again/;
    await eventually(async () => expect(await deliveries(owner, rule)).toMatchObject(isSkipped(reason)));
  });

  test('nothing that needs a permission is sent for a rule that nobody is known to have saved', async () => {
    const { tenant, owner } = await shop();
    const rule = await save(owner, customerRule);
    await tenant.db.run(sql`UPDATE notification_rules SET saved_by = NULL`);
    await owner.post('/api/v1/customers', customer);
    const reason = /needs the permission customers.view, and nobody is known to have saved it; save the rule again/;
    await eventually(async () => expect(await deliveries(owner, rule)).toMatchObject(isSkipped(reason)));
  });
});

describe('the permission of an event', () => {
  test('is needed to save, preview and find rules for it, and to send their messages', async () => {
    const { owner, manager, tenant, setRole } = await shop();
    const permissions = ['notifications.rules.manage', 'customers.view', 'customers.view_sensitive'];
    const { status } = await owner.post('/api/v1/roles', { name: 'Rules', permissions });
    expect(status).toBe(201);
    const author = await platform.person({ tenant, role: 'Admin' });
    const orderRule = { ...customerRule, event: 'order.created' };
    const saved = await save(author, orderRule);
    await setRole(author, 'Rules');
    expect(await author.post(path, orderRule)).toMatchObject(forbidden('orders.view'));
    expect(await author.post(`${path}/preview`, orderRule)).toMatchObject(forbidden('orders.view'));
    expect(await author.post(path, customerRule)).toMatchObject({ status: 201 });
    const { events } = (await author.get(`${path}/events`)).body;
    const names = events.map(({ name }: { name: string }) => name);
    expect(names).toContain('customer.created');
    // That everything must be read again is for all.
    expect(names.filter((name: string) => !name.startsWith('customer.'))).toEqual(['tenant.restored']);
    expect((await manager.get(`${path}/events`)).body.events.map(({ name }: { name: string }) => name)).toContain(
      'order.created',
    );

    const items = [{ name: 'Tea', quantity: 1, price: '5' }];
    await owner.post('/api/v1/orders', { customer, items });
    const reason = /does not have the permission orders.view; save the rule again/;
    await eventually(async () => expect(await deliveries(owner, saved)).toMatchObject(isSkipped(reason)));
  });
});

test('a member of the team gets an event only with the permission that it needs', async () => {
  const { owner, manager: keeper, setRole } = await shop();
  const role = { name: 'Stock keeper', permissions: ['products.view', 'notifications.view'] };
  expect((await owner.post('/api/v1/roles', role)).status).toBe(201);
  await setRole(keeper, role.name);
  const rule = { event: 'customer.created', channel: 'in_app', template: { body: '{{customer_name}}' } };
  const toRole = await save(owner, { ...rule, recipient: { role: role.name } });
  const toOwner = await save(owner, { ...rule, recipient: { user_id: owner.id } });
  expect((await owner.post('/api/v1/customers', customer)).status).toBe(201);
  await eventually(async () => {
    expect(await deliveries(owner, toRole)).toMatchObject(isSkipped(/No recipient has the permission/));
    expect(await deliveries(owner, toOwner)).toMatchObject([{ status: 'sent' }]);
  });
  expect((await keeper.get('/api/v1/notifications')).body.notifications).toEqual([]);
});
