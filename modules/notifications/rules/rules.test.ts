import { sql } from '@chowk/kit';
import { describe, expect, test } from 'vitest';
import { startAccounts } from '../../../server/testing/accounts.ts';
import { repositoryModules } from '../../../server/testing/repository-modules.ts';
import { testModule } from '../../../server/testing/test-module.ts';

// An event that a notification causes.
const echo = testModule({ alias: 'echo', emits: ['notification.seen'] });
const platform = await startAccounts({ modules: [...(await repositoryModules()), echo] });
const path = '/api/v1/notification-rules';

const shipped = {
  event: 'order.status_changed',
  conditions: [{ field: 'order.status', operator: 'eq', value: 'shipped' }],
  channel: 'sms',
  template: { body: 'Hello {{customer_name}}, your order {{order_number}} for {{total}} is on its way.' },
};

async function team() {
  const tenant = await platform.tenant();
  return { tenant, owner: await platform.person({ tenant }) };
}
const acme = await team();

const readErrors = async (fields: object) => {
  const { status, body } = await acme.owner.post(path, { ...shipped, ...fields });
  expect(status).toBe(422);
  return body.errors;
};

describe('a rule', () => {
  test('is created, listed, changed and deleted', async () => {
    const { owner } = await team();
    const created = await owner.post(path, { ...shipped, name: 'On its way' });
    expect(created).toMatchObject({
      status: 201,
      body: {
        message: 'Notification rule created.',
        rule: {
          ...shipped,
          template: { subject: null, body: shipped.template.body },
          name: 'On its way',
          recipient: 'customer',
          is_active: true,
        },
      },
    });
    const { rule } = created.body;
    expect((await owner.get(`${path}/${rule.id}`)).body).toEqual({ rule });
    expect((await owner.get(`${path}?event=order.status_changed&is_active=true`)).body.rules).toEqual([rule]);
    expect((await owner.get(`${path}?channel=email`)).body).toMatchObject({ rules: [], pagination: { total: 0 } });
    const changed = await owner.patch(`${path}/${rule.id}`, { is_active: false, conditions: [] });
    expect(changed.body.rule).toMatchObject({ name: 'On its way', is_active: false, conditions: [], channel: 'sms' });
    expect(await owner.delete(`${path}/${rule.id}`)).toMatchObject({ status: 200 });
    expect(await owner.get(`${path}/${rule.id}`)).toMatchObject({
      status: 404,
      body: { code: 'notifications.rule_not_found' },
    });
    expect(await owner.get(`${path}/${rule.id}/deliveries`)).toMatchObject({ status: 404 });
    expect(await owner.patch(`${path}/${rule.id}`, { is_active: true })).toMatchObject({ status: 404 });
  });

  test('needs neither a name nor conditions nor a recipient', async () => {
    const { rule } = (await acme.owner.post(path, { ...shipped, conditions: undefined })).body;
    expect(rule).toMatchObject({ name: null, conditions: [], recipient: 'customer' });
  });

  test('is managed with its permission only, and by its own tenant only', async () => {
    const { tenant, owner } = await team();
    const { rule } = (await owner.post(path, shipped)).body;
    expect(await acme.owner.get(`${path}/${rule.id}`)).toMatchObject({ status: 404 });
    expect(await acme.owner.delete(`${path}/${rule.id}`)).toMatchObject({ status: 404 });
    const agent = await platform.person({ tenant, role: 'Agent' });
    const requests = [agent.get(path), agent.post(path, shipped), agent.post(`${path}/preview`, shipped)];
    requests.push(agent.post(`${path}/${rule.id}/test`), agent.get(`${path}/${rule.id}/deliveries`));
    for (const response of await Promise.all(requests)) expect(response.status).toBe(403);
    const manager = await platform.person({ tenant, role: 'Manager' });
    expect(await manager.get(path)).toMatchObject({ status: 200 });
  });

  test('can be managed over GraphQL', async () => {
    const { owner } = await team();
    const query = `mutation ($input: NewNotificationRuleInput!) {
      createNotificationRule(input: $input) { id event recipient conditions { field operator value } template { body } }
    }`;
    const { body } = await owner.post('/api/v1/graphql', { query, variables: { input: shipped } });
    expect(body).toMatchObject({
      data: { createNotificationRule: { event: shipped.event, recipient: 'customer', conditions: shipped.conditions } },
    });
    const list = await owner.post('/api/v1/graphql', { query: '{ notificationRules { nodes { id channel } } }' });
    expect(list.body.data.notificationRules.nodes).toMatchObject([{ channel: 'sms' }]);
  });

  test('is not the two hundred and first of a tenant', async () => {
    const { tenant, owner } = await team();
    await tenant.db.run(sql`
      INSERT INTO notification_rules (id, event, conditions, channel, body, is_active, created_at, updated_at)
      SELECT gen_random_uuid(), 'order.created', '[]', 'sms', 'Hi', false, now(), now() FROM generate_series(1, 200)`);
    expect(await owner.post(path, shipped)).toMatchObject({
      status: 409,
      body: { code: 'notifications.too_many_rules' },
    });
  });

  test('is changed only in the version that the caller has read', async () => {
    const { owner } = await team();
    const { headers, body } = await owner.post(path, shipped);
    const etag = headers.etag ?? `"${body.rule.updated_at}"`;
    expect(await owner.patch(`${path}/${body.rule.id}`, { name: 'A' }, { 'if-match': '"old"' })).toMatchObject({
      status: 412,
    });
    expect(await owner.patch(`${path}/${body.rule.id}`, { name: 'A' }, { 'if-match': etag })).toMatchObject({
      status: 200,
    });
  });
});

describe('a rule is refused', () => {
  test('for an event that no module declares', async () => {
    expect(await readErrors({ event: 'order.flown' })).toHaveProperty('event');
    expect(await readErrors({ event: 'constructor' })).toHaveProperty('event');
    expect(await readErrors({ event: 'order.*' })).toHaveProperty('event');
  });

  test('for an event that notifications cause, because it would never end', async () => {
    const notify = {
      channel: 'in_app',
      recipient: { user_id: acme.owner.id },
      conditions: [],
      template: { body: 'Hi' },
    };
    expect(Object.keys(await readErrors({ event: 'notification.seen', ...notify }))).toEqual(['event']);
    const { events } = (await acme.owner.get(`${path}/events`)).body;
    expect(events.map(({ name }: { name: string }) => name)).not.toContain('notification.seen');
  });

  test('with more than fifty placeholders', async () => {
    expect(await readErrors({ template: { body: '{{order.note}}'.repeat(51) } })).toEqual({
      'template.body': ['A template can have at most 50 placeholders.'],
    });
  });

  test('with placeholders that the event has no value for, naming them', async () => {
    const template = {
      subject: 'For {{name}}',
      body: '{{customer_name}} {{order.secret}} {{#each items}} {{order.items}}',
    };
    expect(await readErrors({ channel: 'email', template })).toEqual({
      'template.subject': ['This event has no value for {{name}}.'],
      'template.body': ['This event has no value for {{order.secret}}, {{#each items}}, {{order.items}}.'],
    });
    const invalidRule = {
      event: 'customer.created',
      conditions: [],
      template: { body: '{{customer_name}} {{order_number}}' },
    };
    expect(await readErrors(invalidRule)).toEqual({
      'template.body': ['This event has no value for {{order_number}}.'],
    });
    const product = { event: 'product.created', channel: 'in_app', conditions: [], recipient: { role: 'Owner' } };
    const errors = await readErrors({ ...product, template: { body: '{{product.title}} {{customer_name}}' } });
    expect(errors).toEqual({ 'template.body': ['This event has no value for {{customer_name}}.'] });
  });

  test('for all its problems at once, types and rules together', async () => {
    const errors = await readErrors({
      conditions: [
        { field: 'order.flavour', operator: 'eq', value: 1 },
        { field: 'order.total', operator: 'contains', value: '1' },
        { field: 'order.status', operator: 'eq', value: 'flown' },
      ],
      channel: 'email',
      template: { body: '{{nonsense}}' },
      is_active: 'yes',
    });
    expect(Object.keys(errors).sort()).toEqual([
      'conditions.0.field',
      'conditions.1.operator',
      'conditions.2.value',
      'is_active',
      'template.body',
      'template.subject',
    ]);
    expect(Object.values(errors)).toSatisfy((all: string[][]) => all.every((messages) => messages.length === 1));
  });

  test.each<[string, object, string]>([
    ['to a customer inside the console', { channel: 'in_app' }, 'recipient'],
    [
      'to a customer for an event without one',
      { event: 'product.created', conditions: [], template: { body: 'x' } },
      'recipient',
    ],
    ['to a role by SMS', { recipient: { role: 'Manager' } }, 'recipient'],
    ['to a role that does not exist', { channel: 'in_app', recipient: { role: 'King' } }, 'recipient.role'],
    ['to a user who is not a member', { channel: 'in_app', recipient: { user_id: 999_999_999 } }, 'recipient.user_id'],
    ['over an unknown channel', { channel: 'pigeon' }, 'channel'],
    ['without a text', { template: { body: ' ' } }, 'template.body'],
  ])('%s', async (_, fields, field) => {
    expect(Object.keys(await readErrors(fields))).toEqual([field]);
  });

  test('when a change no longer fits the rest of it', async () => {
    const { rule } = (await acme.owner.post(path, shipped)).body;
    const { status, body } = await acme.owner.patch(`${path}/${rule.id}`, { event: 'customer.created' });
    expect({ status, fields: Object.keys(body.errors).sort() }).toEqual({
      status: 422,
      fields: ['conditions.0.field', 'template.body'],
    });
    const both = await acme.owner.patch(`${path}/${rule.id}`, { event: 'customer.created', is_active: 'yes' });
    expect(Object.keys(both.body.errors).sort()).toEqual(['conditions.0.field', 'is_active', 'template.body']);
  });
});

test('the events, their fields, operators and placeholders are listed for forms', async () => {
  const { events } = (await acme.owner.get(`${path}/events`)).body;
  const event = events.find(({ name }: { name: string }) => name === 'order.status_changed');
  expect(event).toMatchObject({ channels: ['in_app', 'email', 'sms', 'whatsapp'] });
  expect(event.placeholders).toEqual(expect.arrayContaining(['customer_name', 'total', 'order.currency', 'reason']));
  expect(event.fields).toContainEqual({
    path: 'previous_status',
    type: 'text',
    operators: ['eq', 'ne', 'in', 'contains'],
    values: expect.arrayContaining(['pending', 'shipped']),
  });
  const product = events.find(({ name }: { name: string }) => name === 'product.created');
  expect(product.channels).toEqual(['in_app']);
});

describe('a preview', () => {
  test('shows made-up data while there is no order', async () => {
    const { owner } = await team();
    const { status, body } = await owner.post(`${path}/preview`, shipped);
    expect({ status, ...body.preview }).toEqual({
      status: 200,
      subject: null,
      is_match: false,
      source: 'sample',
      body: 'Hello Meera Iyer, your order 1042 for INR 199.65 is on its way.',
    });
    expect((await owner.get(path)).body.rules).toEqual([]);
  });

  test('shows the latest order, with sensitive fields only to those who may see them', async () => {
    const { tenant, owner } = await team();
    const customer = { first_name: 'Ravi', phone: '+919876543210' };
    await owner.post('/api/v1/orders', { customer, items: [{ name: 'Tea', quantity: 2, price: '10' }] });
    const rule = { ...shipped, conditions: [], template: { body: '{{customer_name}} {{customer_phone}} {{total}}' } };
    expect((await owner.post(`${path}/preview`, rule)).body.preview).toMatchObject({
      body: 'Ravi +919876543210 INR 20.00',
      is_match: true,
      source: 'latest_order',
    });
    const manager = await platform.person({ tenant, role: 'Manager' });
    expect(await manager.post(`${path}/preview`, rule)).toMatchObject({ status: 403 });
    const harmless = { ...rule, template: { body: '{{customer_name}} {{total}}' } };
    expect((await manager.post(`${path}/preview`, harmless)).body.preview.body).toBe('Ravi INR 20.00');
  });
});
