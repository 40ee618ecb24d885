import { createHash } from 'node:crypto';
import { sql } from '@chowk/kit';
import { afterAll, describe, expect, test } from 'vitest';
import { type Person, startAccounts } from '../../../server/testing/accounts.ts';
import { startCustomerMails } from '../../../server/testing/customer-mails.ts';
import { eventually } from '../../../server/testing/eventually.ts';
import { sendEmail } from './channels.ts';

/* How many messages a tenant may send to customers. */

const mails = await startCustomerMails();
afterAll(() => mails.close());
const platform = await startAccounts({ environment: { MESSAGES_PER_DAY: '2', MAIL_URL: mails.url } });
const path = '/api/v1/notification-rules';
const welcome = {
  event: 'customer.created',
  channel: 'email',
  template: { subject: 'Welcome', body: 'Hello {{customer_name}}' },
};

async function shop({ role = 'merchant' as 'merchant' | 'platform_owner', verified = true } = {}) {
  const tenant = await platform.tenant({ role });
  const owner = await platform.person({ tenant, verified });
  return { tenant, owner };
}

async function addRule(person: Person, fields: object = {}) {
  const { status, body } = await person.post(path, { ...welcome, ...fields });
  expect(status).toBe(201);
  return async () =>
    (await person.get(`${path}/${body.rule.id}/deliveries?sort_order=asc`)).body.deliveries as {
      status: string;
      reason: string | null;
      recipient: string | null;
    }[];
}

async function addCustomers(person: Person, ...names: readonly string[]): Promise<void> {
  for (const first_name of names) {
    const customer = { first_name, email: `${first_name}@example.com` };
    expect((await person.post('/api/v1/customers', customer)).status).toBe(201);
  }
}

const skipped = (reason: string) => ({ status: 'skipped', recipient: null, reason: expect.stringContaining(reason) });
const sent = { status: 'sent', reason: null };
/** The events of different customers are delivered in any order. */
const sentFirst = <Message extends { readonly status: string }>(messages: readonly Message[]) =>
  messages.toSorted((one, other) => (one.status < other.status ? -1 : 1));
const limitReached = (limit: number) => skipped(`has sent the ${limit} messages that it may send to customers today`);

describe('a tenant', () => {
  test('may send a number of messages a day that grows with its age', async () => {
    const { tenant, owner } = await shop();
    const deliveries = await addRule(owner);
    await addCustomers(owner, 'a', 'b', 'c');
    await eventually(async () => expect(sentFirst(await deliveries())).toMatchObject([sent, sent, limitReached(2)]));
    await platform.kernel.central.db.run(
      sql`UPDATE tenants SET created_at = created_at - interval '1 day' WHERE id = ${tenant.id}`,
    );
    await addCustomers(owner, 'd', 'e', 'f');
    await eventually(async () =>
      expect(sentFirst((await deliveries()).slice(3))).toMatchObject([sent, sent, limitReached(4)]),
    );
    await tenant.db.run(sql`UPDATE message_quota SET day = day - 1`);
    await addCustomers(owner, 'g');
    await eventually(async () => expect((await deliveries()).slice(6)).toMatchObject([sent]));
  });

  test('may send as many a day as its plan allows', async () => {
    const { tenant, owner } = await shop();
    await platform.kernel.central.db.run(sql`INSERT INTO plans (name, messages_per_day) VALUES ('three', 3)`);
    await platform.kernel.central.db.run(sql`UPDATE tenants SET plan = 'three' WHERE id = ${tenant.id}`);
    await platform.kernel.signals.waitUntilApplied();
    const deliveries = await addRule(owner);
    await addCustomers(owner, 'a', 'b', 'c', 'd');
    await eventually(async () => {
      const messages = sentFirst(await deliveries());
      expect(messages).toMatchObject([sent, sent, sent, limitReached(3)]);
      expect(messages[3]?.reason).toMatch(/the limit of its plan\.$/);
    });
  });

  test('sends none until an Owner has verified the address', async () => {
    const { tenant, owner } = await shop({ verified: false });
    const admin = await platform.person({ tenant, role: 'Admin' });
    const deliveries = await addRule(admin);
    await addCustomers(admin, 'a');
    await eventually(async () => expect(await deliveries()).toMatchObject([skipped('once an Owner')]));
    const hash = createHash('sha1').update(owner.email).digest('hex');
    expect(await owner.get(`/api/v1/email/verify/${owner.id}/${hash}?tenant=${tenant.id}`)).toMatchObject({
      status: 200,
    });
    await addCustomers(admin, 'b');
    await eventually(async () => expect(await deliveries()).toMatchObject([skipped('once an Owner'), sent]));
  });

  test('is limited in what its modules and tests of rules send, too', async () => {
    const { tenant, owner } = await shop();
    const send = (to: string) =>
      sendEmail(tenant.context('notifications'), {
        to,
        subject: 'Hello',
        body: 'Hello',
        customer_id: null,
        purpose: 'transactional',
      });
    expect([(await send('a@example.com')).skipped, (await send('b@example.com')).skipped]).toEqual([null, null]);
    expect((await send('c@example.com')).skipped).toContain('has sent the 2 messages');
    const { body } = await owner.post(path, welcome);
    const { delivery } = (await owner.post(`${path}/${body.rule.id}/test`)).body;
    expect(delivery).toMatchObject(limitReached(2));
  });

  test('is not limited by messages that only the log gets, and by those to its team', async () => {
    const { owner } = await shop();
    const texts = await addRule(owner, { channel: 'sms', template: { body: 'Hello' } });
    const notices = await addRule(owner, { channel: 'in_app', recipient: { user_id: owner.id } });
    for (const phone of ['+919876543210', '+919876543211', '+919876543212']) {
      await owner.post('/api/v1/customers', { phone });
    }
    await eventually(async () => expect(await texts()).toMatchObject([sent, sent, sent]));
    await eventually(async () => expect(await notices()).toMatchObject([sent, sent, sent]));
  });

  test('that is the operator has no limit', async () => {
    const { owner } = await shop({ role: 'platform_owner' });
    const deliveries = await addRule(owner);
    await addCustomers(owner, 'a', 'b', 'c');
    await eventually(async () => expect(await deliveries()).toMatchObject([sent, sent, sent]));
  });
});
