import { randomUUID } from 'node:crypto';
import { sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { Context } from '../../server/src/context/context.ts';
import { startPlatform } from '../../server/testing/platform.ts';

const platform = await startPlatform();
const acme = await platform.tenant();
const agent = acme.caller('conversations.view', 'conversations.reply');
const url = '/api/v1/conversations';
const { personalData } = new Context(platform.kernel, { requestId: 'test', module: 'customers', tenant: acme });

async function begin() {
  const customer = { email: `${randomUUID()}@example.com` };
  const message = { body: 'My number is 12345' };
  const { body } = await agent.post(url, { customer, channel: 'email', subject: 'From Asha', message });
  return body.conversation;
}
const without = (record: object, fields: readonly string[]) =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !fields.includes(name)));
const show = async (id: string) => (await agent.get(`${url}/${id}`)).body.conversation;

test('the export of a customer includes its conversations only', async () => {
  const [conversation] = [await begin(), await begin()];
  const { conversations } = await personalData.rows(conversation.customer_id, { masked: true });
  const shown = [
    'customer',
    'assignee',
    'last_message',
    'waiting_since',
    'is_unread',
    'has_failed',
    'messages',
    'reply_delivery',
  ];
  const unset = ['contact', 'last_inbound_at', 'closed_at', 'closed_by', 'snoozed_by', 'answered_on'];
  const figures = ['first_inbound_at', 'first_answer_at', 'first_answer_by'];
  const stored = Object.fromEntries([...unset, ...figures].map((name) => [name, null]));
  const { user, attachments, mentions, has_html, ...message } = conversation.messages[0];
  expect(conversations).toEqual({
    conversations: [{ ...without(conversation, shown), ...stored }],
    conversation_messages: [{ ...message, external_id: null, received_on: null, html: null, is_for_visitor: false }],
    conversation_attachments: [],
    conversation_mentions: [],
    conversation_reads: [expect.objectContaining({ conversation_id: conversation.id })],
    merged_conversations: [],
  });
});

test('anonymizing a customer clears its conversations', async () => {
  const [conversation, other] = [await begin(), await begin()];
  await personalData.anonymize(conversation.customer_id);
  const { messages, last_message, ...shown } = await show(conversation.id);
  expect(shown).toMatchObject({
    subject: '',
    message_count: 1,
    channel: 'email',
    customer_id: conversation.customer_id,
  });
  expect({ last_message, messages }).toMatchObject({ last_message: { excerpt: '' }, messages: [{ body: '' }] });
  expect(await show(other.id)).toMatchObject({ subject: 'From Asha', messages: [{ body: 'My number is 12345' }] });
});

test('removing a customer deletes its conversations and updates the counters', async () => {
  const [conversation, other] = [await begin(), await begin()];
  const before = (await agent.get(`${url}/counts`)).body;
  await personalData.remove(conversation.customer_id);
  expect(await acme.db.row(sql`SELECT FROM conversation_messages WHERE conversation_id = ${conversation.id}`)).toBe(
    undefined,
  );
  expect((await agent.get(`${url}/${conversation.id}`)).status).toBe(404);
  expect((await agent.get(`${url}/counts`)).body).toEqual({
    total: before.total - 1,
    counts: { ...before.counts, open: before.counts.open - 1 },
  });
  expect(await show(other.id)).toMatchObject({ id: other.id });
});

test('merging moves all conversations to the primary customer', async () => {
  const [from, to] = [await begin(), await begin()];
  await personalData.move(from.customer_id, to.customer_id);
  const { body } = await agent.get(`${url}?customer_id=${to.customer_id}&sort_by=created_at&sort_order=asc`);
  expect(body.conversations.map(({ id }: { id: string }) => id)).toEqual([from.id, to.id]);
  expect((await agent.get(`${url}?customer_id=${from.customer_id}`)).body.pagination.total).toBe(0);
});

test('a message waits while its customer is being erased', async () => {
  const { id, customer_id } = await begin();
  let replied: Promise<{ status: number }> | undefined;
  await acme.db.tx(async (tx) => {
    await tx.run(sql`SELECT FROM customers WHERE id = ${customer_id} FOR NO KEY UPDATE`);
    replied = agent.post(`${url}/${id}/messages`, { body: 'Too late' });
    await expect
      .poll(() => acme.db.rows(sql`SELECT FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'`))
      .not.toEqual([]);
    await platform.kernel.personalData(tx, async () => false).remove(customer_id);
  });
  expect((await replied)?.status).toBe(404);
});
