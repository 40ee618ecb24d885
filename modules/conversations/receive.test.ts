import { randomUUID } from 'node:crypto';
import { sql } from '@chowk/kit';
import { describe, expect, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';
import { newAddress, receive as receiveFor } from '../../server/testing/received-messages.ts';
import type { Received } from './schemas.ts';

const day = 24 * 3_600_000;
let now = Date.now();
const platform = await startPlatform({ now: () => new Date(now) });
const acme = await platform.tenant();
const agent = acme.caller(
  'conversations.view',
  'conversations.reply',
  'conversations.close',
  'customers.view',
  'customers.create',
);
const url = '/api/v1/conversations';

const receive = (fields: Partial<Received> = {}) => receiveFor(acme, fields);
const show = async (id: string) => (await agent.get(`${url}/${id}`)).body.conversation;

describe('a message from outside', () => {
  test('begins a conversation with a new customer', async () => {
    const contact = newAddress();
    const { conversation_id } = await receive({ contact, quoted: '> earlier', is_automatic: true });
    expect(await show(conversation_id)).toMatchObject({
      channel: 'email',
      subject: 'Where is my tea?',
      status: 'open',
      customer: { email: contact },
      messages: [{ direction: 'inbound', body: 'Hello', quoted: '> earlier', is_automatic: true, sender: null }],
    });
  });

  test('that comes again is not added again, also at the same time', async () => {
    const external_id = `email:${randomUUID()}`;
    const contact = newAddress();
    const results = await Promise.all(Array.from({ length: 8 }, () => receive({ external_id, contact })));
    expect(results.filter(({ is_new }) => is_new)).toHaveLength(1);
    expect(new Set(results.map(({ message_id }) => message_id)).size).toBe(1);
    expect(await show((results[0] as { conversation_id: string }).conversation_id)).toMatchObject({ message_count: 1 });
  });

  test('that answers another one is added to its conversation, whoever wrote it', async () => {
    const contact = newAddress();
    const first = await receive({ contact, external_id: 'email:first@shop' });
    const colleague = newAddress();
    const answers = ['email:unknown@shop', 'email:first@shop'];
    const second = await receive({ contact: colleague, answers });
    expect(second.conversation_id).toBe(first.conversation_id);
    const { messages, customer, message_count } = await show(first.conversation_id);
    expect({ email: customer.email, message_count }).toEqual({ email: contact, message_count: 2 });
    expect(messages.map(({ sender }: { sender: string }) => sender)).toEqual([colleague, null]);
  });

  test('on a channel without subjects goes on in the conversation with the customer there', async () => {
    const text = (fields: Partial<Received> = {}) =>
      receive({ channel: 'sms', customer: { phone: '+919876543210' }, ...fields });
    const [first, second] = [await text(), await text()];
    expect(second.conversation_id).toBe(first.conversation_id);
    const other = await text({ channel: 'whatsapp' });
    expect(other.conversation_id).not.toBe(first.conversation_id);
  });

  test('STOP by SMS withdraws the consent to marketing, and is shown', async () => {
    const { body } = await agent.post('/api/v1/customers', { phone: '+919876543233', accepts_marketing: true });
    const sent = { channel: 'sms', customer: { phone: '+919876543233' }, contact: '+919876543233' } as const;
    const { conversation_id } = await receive({ ...sent, body: ' Stop. ' });
    const { customer } = (await agent.get(`/api/v1/customers/${body.customer.id}`)).body;
    expect(customer).toMatchObject({ accepts_marketing: false, consents: [{ source: 'sms' }, {}] });
    expect(await show(conversation_id)).toMatchObject({ messages: [{ body: ' Stop. ' }] });
  });

  test('reopens a conversation that was closed a short time ago, and begins a new one later', async () => {
    const contact = newAddress();
    const first = await receive({ contact, external_id: 'email:old@shop' });
    const close = () => agent.post(`${url}/${first.conversation_id}/close`);
    const answer = () => receive({ contact, answers: ['email:old@shop'] });
    await close();
    now += 13 * day;
    expect((await answer()).conversation_id).toBe(first.conversation_id);
    expect(await show(first.conversation_id)).toMatchObject({ status: 'open' });
    await close();
    now += 15 * day;
    const { conversation_id } = await answer();
    expect(conversation_id).not.toBe(first.conversation_id);
    expect(await show(first.conversation_id)).toMatchObject({ status: 'closed', message_count: 2 });
    const { customer_id } = await show(conversation_id);
    expect(customer_id).toBe((await show(first.conversation_id)).customer_id);
  });

  test('that fails leaves nothing behind', async () => {
    const contact = newAddress();
    const attachment_ids = [randomUUID()];
    await expect(receive({ contact, attachment_ids })).rejects.toMatchObject({
      code: 'conversations.unknown_attachment',
    });
    const row = await acme.db.row(sql`SELECT FROM customers WHERE email = ${contact}`);
    expect(row).toBeUndefined();
  });
});
