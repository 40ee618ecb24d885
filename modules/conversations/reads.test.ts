import { sql } from '@chowk/kit';
import { afterAll, expect, test } from 'vitest';
import { startAccounts } from '../../server/testing/accounts.ts';
import { startCustomerMails } from '../../server/testing/customer-mails.ts';
import { eventually } from '../../server/testing/eventually.ts';

const mails = await startCustomerMails();
afterAll(() => mails.close());
const platform = await startAccounts({ environment: { MAIL_URL: mails.url } });
const url = '/api/v1/conversations';

async function inbox() {
  const tenant = await platform.tenant();
  const asha = await platform.person({ tenant });
  const vikram = await platform.person({ tenant, role: 'Agent' });
  const start = async (email: string, message?: object) => {
    const body = { customer: { email }, channel: 'email', ...(message && { message }) };
    return (await asha.post(url, body)).body.conversation;
  };
  const unread = async (person: typeof asha, query = '?unread=true') =>
    (await person.get(url + query)).body.conversations.map(({ id }: { id: string }) => id);
  return { tenant, asha, vikram, start, unread };
}

test('a conversation is unread for each member until they look, and again when the customer writes', async () => {
  const { asha, vikram, start, unread } = await inbox();
  const { id } = await start('priya@example.com', { direction: 'inbound', body: 'Has it left?' });
  const ours = (await start('rahul@example.com', { body: 'Your order is ready.' })).id;
  const empty = (await start('meera@example.com')).id;
  expect(await unread(asha)).toEqual([id]);
  expect(await unread(vikram)).toEqual([id]);
  expect(await asha.post(`${url}/${id}/read`, {})).toMatchObject({ status: 200 });
  expect(await unread(asha)).toEqual([]);
  expect((await unread(asha, '?unread=false')).sort()).toEqual([id, ours, empty].sort());
  expect(await unread(vikram)).toEqual([id]);
  expect((await asha.get(`${url}/${id}`)).body.conversation.is_unread).toBe(false);
  await asha.post(`${url}/${id}/messages`, { direction: 'note', body: 'Asked the courier.' });
  expect(await unread(asha)).toEqual([]);
  await vikram.post(`${url}/${id}/messages`, { direction: 'inbound', body: 'Hello?' });
  expect(await unread(asha)).toEqual([id]);
  expect(await unread(vikram)).toEqual([id]);
  await vikram.post(`${url}/${id}/messages`, { body: 'It leaves today.' });
  expect(await unread(vikram)).toEqual([]);
  expect(await unread(asha)).toEqual([id]);
  await asha.post(`${url}/${id}/close`, {});
  expect(await unread(asha)).toEqual([]);
  expect(await asha.delete(`${url}/${id}`)).toMatchObject({ status: 200 });
  expect(await asha.post(`${url}/${id}/read`, {})).toMatchObject({ status: 404 });
});

test('a message that could not be delivered is found until a later one arrives', async () => {
  const { tenant, asha, start } = await inbox();
  const { id } = await start('priya@example.com', { body: 'It left us on Tuesday.' });
  await start('rahul@example.com', { body: 'Your order is ready.' });
  const failed = async () =>
    (await asha.get(`${url}?failed=true`)).body.conversations.map((one: { id: string; has_failed: boolean }) => [
      one.id,
      one.has_failed,
    ]);
  expect(await failed()).toEqual([]);
  // Its delivery would otherwise be recorded later.
  await eventually(async () =>
    expect((await asha.get(`${url}/${id}`)).body.conversation.messages[0].delivery_status).toBe('sent'),
  );
  await tenant.db.run(sql`
    UPDATE conversation_messages SET delivery_status = 'failed' WHERE conversation_id = ${id} AND direction = 'outbound'`);
  expect(await failed()).toEqual([[id, true]]);
  await asha.post(`${url}/${id}/messages`, { direction: 'note', body: 'The mailbox is full.' });
  expect(await failed()).toEqual([[id, true]]);
  await asha.post(`${url}/${id}/messages`, { body: 'I called you.', log_only: true });
  expect(await failed()).toEqual([]);
});

test('the channels for a first message say what would be sent', async () => {
  const { asha } = await inbox();
  const { id } = (await asha.post('/api/v1/customers', { first_name: 'Priya', phone: '+919876543210' })).body.customer;
  const channels = async (query = '') =>
    Object.fromEntries(
      (await asha.get(`${url}/channels${query}`)).body.channels.map(
        ({ channel, ...rest }: { channel: string }) => [channel, rest] as const,
      ),
    );
  expect((await channels()).email).toMatchObject({ is_sent: true, reason: null, needs_template: false });
  expect((await channels(`?customer_id=${id}`)).email).toMatchObject({
    is_sent: false,
    reason: 'The customer has no email address.',
  });
  expect((await channels()).sms.reason).toContain('SMS is not set up');
  const account = { account_sid: `AC${'0'.repeat(32)}`, auth_token: 'secret', whatsapp_from: '+14155238886' };
  await asha.put('/api/v1/message-providers/twilio', account);
  await asha.patch('/api/v1/settings', { 'notifications.whatsapp_provider': 'twilio' });
  expect((await channels(`?customer_id=${id}`)).whatsapp).toMatchObject({ is_sent: false, needs_template: true });
  expect((await channels()).phone.is_sent).toBe(false);
});
