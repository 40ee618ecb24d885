import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { raw, sql } from '@chowk/kit';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { afterAll, expect, test } from 'vitest';
import { type Person, startAccounts } from '../../../server/testing/accounts.ts';
import { eventually } from '../../../server/testing/eventually.ts';

const mails: Email[] = [];
const smtp = new SMTPServer({
  disabledCommands: ['AUTH', 'STARTTLS'],
  async onData(stream, _session, done) {
    mails.push(await PostalMime.parse(Buffer.concat(await Array.fromAsync(stream as AsyncIterable<Buffer>))));
    done();
  },
});
smtp.listen(0, '127.0.0.1');
await once(smtp.server, 'listening');
afterAll(() => new Promise<void>((closed) => smtp.close(closed)));

const { port } = smtp.server.address() as AddressInfo;
const environment = { MAIL_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'Chowk <no-reply@chowk.example>' };
const platform = await startAccounts({ environment });

const mailTo = (address: string, subject: string) =>
  eventually(() => {
    const found = mails.find((mail) => mail.to?.[0]?.address === address && mail.subject === subject);
    if (!found) throw new Error(`no mail to ${address} with the subject ${subject}`);
    return found;
  });

const path = '/api/v1/notification-rules';
const items = [{ name: 'Tea', quantity: 2, price: '250' }];
const declared = (await platform.tenant()).context('notifications').declaredEvents;

async function shop() {
  const tenant = await platform.tenant({ name: 'Chai & Co' });
  const owner = await platform.person({ tenant });
  const email = `${tenant.id}@example.com`;
  const order = async (fields: object = {}) => {
    const customer = { first_name: 'Meera', last_name: 'Iyer', email };
    return (await owner.post('/api/v1/orders', { customer, items, ...fields })).body.order;
  };
  const deliveries = async (rule: { id: string }) => (await owner.get(`${path}/${rule.id}/deliveries`)).body.deliveries;
  return { tenant, owner, email, order, deliveries };
}

interface Preset {
  readonly key: string;
  readonly is_active: boolean;
  readonly rule_id: string | null;
  readonly template: { readonly body: string };
}

const list = async (person: Person): Promise<Preset[]> =>
  (await person.get('/api/v1/notification-presets')).body.presets;
const find = async (person: Person, key: string) => (await list(person)).find((preset) => preset.key === key);

async function switchOn(person: Person, key: string) {
  const { status, body } = await person.post(`/api/v1/notification-presets/${key}`, {});
  expect({ status, body }).toMatchObject({ status: 200, body: { rule: { preset: key, is_active: true } } });
  return body.rule;
}

test('all presets are off at first, and each can be switched on', async () => {
  const { owner } = await shop();
  const presets = await list(owner);
  expect(presets.map(({ key }) => key)).toEqual(
    expect.arrayContaining(['order_received', 'order_confirmed', 'order_shipped']),
  );
  for (const { key, is_active, rule_id } of presets) {
    expect({ is_active, rule_id }).toEqual({ is_active: false, rule_id: null });
    const rule = await switchOn(owner, key);
    expect(await find(owner, key)).toMatchObject({ is_active: true, rule_id: rule.id });
  }
  expect((await owner.get(path)).body.rules).toHaveLength(presets.length);
});

test('the customer gets mails when the order is received, confirmed and shipped, with the tracking', async () => {
  const { owner, email, order } = await shop();
  for (const key of ['order_received', 'order_confirmed', 'order_shipped']) await switchOn(owner, key);
  const placed = await order();
  const received = await mailTo(email, `We have received your order ${placed.order_number}`);
  expect(received.from).toMatchObject({ name: 'Chai & Co' });
  expect(received.text).toContain(`thank you for your order ${placed.order_number} of INR 500.00.`);
  await owner.post(`/api/v1/orders/${placed.id}/status`, { status: 'confirmed' });
  const confirmed = await mailTo(email, `Your order ${placed.order_number} is confirmed`);
  expect(confirmed.text).toContain(`your order ${placed.order_number} of INR 500.00 is confirmed.`);
  const tracking = { tracking_number: '1490812', tracking_url: 'https://track.example/1490812' };
  await owner.post(`/api/v1/orders/${placed.id}/shipments`, tracking);
  const { text } = await mailTo(email, `Your order ${placed.order_number} is on its way`);
  expect(text).toContain('Hello Meera Iyer');
  expect(text).toContain('Tracking number: 1490812');
  expect(text).toContain(tracking.tracking_url);
});

test('a shipment that is not to be notified sends nothing', async () => {
  const { owner, order, deliveries } = await shop();
  const rule = await switchOn(owner, 'order_shipped');
  const placed = await order();
  const ship = (notify: boolean) =>
    owner.post(`/api/v1/orders/${placed.id}/shipments`, {
      notify,
      items: [{ item_id: placed.items[0].id, quantity: 1 }],
    });
  await ship(false);
  await ship(true);
  await eventually(async () => expect(await deliveries(rule)).toMatchObject([{ status: 'sent' }]));
  expect((await deliveries(rule))[0].body).toContain('Tracking number: –');
});

test.runIf('order.refunded' in declared)('the customer gets a mail about a refund', async () => {
  const { owner, email, order } = await shop();
  await switchOn(owner, 'order_refunded');
  const placed = await order();
  await owner.post(`/api/v1/orders/${placed.id}/payments`, { method: 'cash' });
  await owner.post(`/api/v1/orders/${placed.id}/status`, { status: 'confirmed' });
  expect((await owner.post(`/api/v1/orders/${placed.id}/refund`, { amount: '125.50' })).status).toBe(200);
  const mail = await mailTo(email, `Refund of your order ${placed.order_number}`);
  expect(mail.text).toContain(`we have refunded INR 125.50 of your order ${placed.order_number}.`);
});

test.runIf('order.refunded' in declared)(
  'a refund by a provider is mailed when it has succeeded, not before',
  async () => {
    const { tenant, owner, order, deliveries } = await shop();
    const rule = await switchOn(owner, 'order_refunded');
    // As earlier versions made it.
    await tenant.db.run(
      sql`UPDATE notification_rules SET event = 'order.refunded', conditions = '[]' WHERE id = ${rule.id}`,
    );
    await tenant.db.run(
      raw(await readFile(join(import.meta.dirname, '../migrations/0014_settled_refunds.sql'), 'utf8')),
    );
    const { id } = await order({ status: 'confirmed' });
    const { bus } = tenant.context('payments');
    const payment = { method: 'card', provider: 'elsewhere', provider_payment_id: 'pay_1', amount: '500' };
    await bus.call('orders.recordPayment', { ...payment, order_id: id, status: 'succeeded' });
    const refund = async (amount: string, ...statuses: ('failed' | 'succeeded')[]) => {
      expect((await owner.post(`/api/v1/orders/${id}/refund`, { amount })).status).toBe(200);
      const { refunds } = (await owner.get(`/api/v1/orders/${id}`)).body.order;
      const refund_id = refunds.at(-1).id;
      for (const status of statuses) await bus.call('orders.settleRefund', { refund_id, status });
    };
    await refund('50', 'failed');
    await refund('60');
    await refund('70', 'succeeded', 'succeeded');
    // Listeners get the events of an order one after the other.
    await eventually(async () => expect(await deliveries(rule)).toMatchObject([{ status: 'sent' }]));
    const [{ body }] = await deliveries(rule);
    expect(body).toContain('INR 70.00');
  },
);

test('switching on again keeps the changed text, and makes the caller the one who saved the rule', async () => {
  const { tenant, owner } = await shop();
  const rule = await switchOn(owner, 'order_shipped');
  const template = { subject: 'On its way', body: 'Namaste {{customer_name}}' };
  await owner.patch(`${path}/${rule.id}`, { template, is_active: false });
  expect(await find(owner, 'order_shipped')).toMatchObject({ is_active: false, rule_id: rule.id, template });
  const admin = await platform.person({ tenant, role: 'Admin' });
  expect(await switchOn(admin, 'order_shipped')).toMatchObject({ id: rule.id, template, saved_by: admin.id });
  await owner.delete(`${path}/${rule.id}`);
  expect(await find(owner, 'order_shipped')).toMatchObject({ is_active: false, rule_id: null });
  expect((await switchOn(owner, 'order_shipped')).id).not.toBe(rule.id);
});

test('a changed text is saved while the preset is switched on, and refused with its problems', async () => {
  const { owner, order, email } = await shop();
  const url = '/api/v1/notification-presets/order_received';
  const template = { subject: 'Namaste', body: 'Order {{order_number}}' };
  const wrong = await owner.post(url, { template: { subject: 'Hello', body: '{{nothing}}' } });
  expect(wrong).toMatchObject({ status: 422, body: { errors: { 'template.body': expect.anything() } } });
  expect(await find(owner, 'order_received')).toMatchObject({ is_active: false, rule_id: null });
  expect((await owner.post(url, { template })).body.rule).toMatchObject({ template, is_active: true });
  const { order_number } = await order();
  expect((await mailTo(email, 'Namaste')).text).toContain(`Order ${order_number}`);
  const other = { subject: 'Hello', body: 'Thank you' };
  await owner.post(url, { template: other });
  expect(await find(owner, 'order_received')).toMatchObject({ template: other, is_active: true });
});

test('16 clicks at once make one rule', async () => {
  const { owner } = await shop();
  const rules = await Promise.all(Array.from({ length: 16 }, () => switchOn(owner, 'order_shipped')));
  expect(new Set(rules.map(({ id }) => id)).size).toBe(1);
  expect((await owner.get(path)).body.rules).toHaveLength(1);
});

test('an unknown preset is not found, and the event of a preset needs its permission', async () => {
  const { tenant, owner } = await shop();
  for (const key of ['nothing', 'constructor']) {
    expect(await owner.post(`/api/v1/notification-presets/${key}`, {})).toMatchObject({
      status: 404,
      body: { code: 'notifications.preset_not_found' },
    });
  }
  await owner.post('/api/v1/roles', { name: 'Rules', permissions: ['notifications.rules.manage'] });
  const author = await platform.person({ tenant, role: 'Agent' });
  expect((await owner.patch(`/api/v1/team/${author.id}`, { role: 'Rules' })).status).toBe(200);
  expect(await author.post(`/api/v1/notification-presets/order_shipped`, {})).toMatchObject({ status: 403 });
});
