import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';
import { readByCursor } from '../../server/testing/read-by-cursor.ts';
import type { Message } from './schemas.ts';

const platform = await startPlatform();
const acme = await platform.tenant();
const agent = acme.caller('conversations.view', 'conversations.reply', 'conversations.close');
const url = '/api/v1/conversations';

async function begin(): Promise<string> {
  const customer = { email: `${randomUUID()}@example.com` };
  const { body } = await agent.post(url, { customer, channel: 'email' });
  return `${url}/${body.conversation.id}`;
}

test('a message is outbound by default and is counted', async () => {
  const at = await begin();
  const { status, body } = await agent.post(`${at}/messages`, { body: 'We are looking for it.' });
  expect(status).toBe(201);
  expect(body).toMatchObject({
    message: 'Message added.',
    conversation: {
      message_count: 1,
      status: 'open',
      last_message: { direction: 'outbound', excerpt: 'We are looking for it.' },
      last_message_at: body.conversation_message.sent_at,
    },
    conversation_message: { direction: 'outbound', body: 'We are looking for it.', user_id: agent.user.id },
  });
  const note = await agent.post(`${at}/messages`, { body: 'An old friend.', direction: 'note' });
  expect(note.body.conversation_message).toMatchObject({ direction: 'note', user_id: agent.user.id });
  const answer = await agent.post(`${at}/messages`, { body: 'Thanks', direction: 'inbound' });
  expect(answer.body.conversation_message).toMatchObject({ direction: 'inbound', user_id: null });
  expect(answer.body.conversation).toMatchObject({ message_count: 3 });
});

test('a customer waits from the first message that nobody has answered', async () => {
  const at = await begin();
  const waitingSince = async () => (await agent.get(at)).body.conversation.waiting_since;
  const send = async (direction: string) =>
    (await agent.post(`${at}/messages`, { body: 'Hello', direction })).body.conversation_message.sent_at;
  expect(await waitingSince()).toBeNull();
  const first = await send('inbound');
  await send('inbound');
  await send('note');
  expect(await waitingSince()).toBe(first);
  await send('outbound');
  expect(await waitingSince()).toBeNull();
  const second = await send('inbound');
  expect(await waitingSince()).toBe(second);
  await agent.post(`${at}/close`);
  expect(await waitingSince()).toBeNull();
});

test.each([
  ['closed', 'inbound', 'open'],
  ['pending', 'inbound', 'open'],
  ['open', 'inbound', 'open'],
  ['closed', 'outbound', 'closed'],
  ['pending', 'outbound', 'pending'],
  ['closed', 'note', 'closed'],
  ['pending', 'note', 'pending'],
])('a %s conversation after an %s message is %s', async (before, direction, after) => {
  const at = await begin();
  await agent.post(`${at}/status`, { status: before });
  const { body } = await agent.post(`${at}/messages`, { body: 'Again', direction });
  expect(body.conversation.status).toBe(after);
});

test('closing and reopening can be repeated', async () => {
  const at = await begin();
  for (const [verb, status] of [
    ['close', 'closed'],
    ['close', 'closed'],
    ['reopen', 'open'],
    ['reopen', 'open'],
  ]) {
    const { status: code, body } = await agent.post(`${at}/${verb}`);
    expect({ code, status: body.conversation.status }).toEqual({ code: 200, status });
  }
  const wrong = await agent.post(`${at}/status`, { status: 'asleep' });
  expect({ status: wrong.status, fields: Object.keys(wrong.body.errors) }).toEqual({ status: 422, fields: ['status'] });
});

test.each([
  ['body', {}],
  ['body', { body: '' }],
  ['body', { body: '\t ' }],
  ['body', { body: 'a\u0000' }],
  ['body', { body: 5 }],
  ['direction', { body: 'x', direction: 'up' }],
])('a message with an invalid %s is rejected: %j', async (field, wrong) => {
  const at = await begin();
  const { status, body } = await agent.post(`${at}/messages`, wrong);
  expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: [field] });
  expect((await agent.get(at)).body.conversation.message_count).toBe(0);
});

test('concurrent messages are all listed by page, newest first', async () => {
  const at = await begin();
  const texts = Array.from({ length: 25 }, (_, index) => `message ${index}`);
  await Promise.all(texts.map((body) => agent.post(`${at}/messages`, { body, direction: 'inbound' })));
  const pages = await Promise.all([1, 2, 3].map((page) => agent.get(`${at}/messages?per_page=10&page=${page}`)));
  const messages: Message[] = pages.flatMap(({ body }) => body.messages);
  expect(messages.map(({ body }) => body).toSorted()).toEqual(texts.toSorted());
  const newestFirst = messages.toSorted((a, b) => b.sent_at.localeCompare(a.sent_at) || (a.id < b.id ? 1 : -1));
  expect(messages).toEqual(newestFirst);
  expect(pages[0]?.body.pagination).toEqual({ current_page: 1, last_page: 3, per_page: 10, total: 25 });
  const { conversation } = (await agent.get(at)).body;
  expect(conversation).toMatchObject({ message_count: 25, last_message_at: messages[0]?.sent_at });
  expect(conversation.messages).toEqual(messages.slice(0, 20));
});

test('lists show an excerpt of a long message', async () => {
  const at = await begin();
  const text = 'चाय 茶 é '.repeat(100);
  const { body } = await agent.post(`${at}/messages`, { body: text });
  expect(body.conversation_message.body).toBe(text);
  expect(body.conversation.last_message.excerpt).toBe(Array.from(text).slice(0, 140).join(''));
});

test('a cursor visits every message once while messages are added', async () => {
  const at = await begin();
  const texts = Array.from({ length: 11 }, (_, n) => `message ${n}`);
  for (const body of texts) await agent.post(`${at}/messages`, { body });
  const seen = await readByCursor<Message>(agent, `${at}/messages`, () =>
    agent.post(`${at}/messages`, { body: 'newer' }),
  );
  expect(seen.map(({ body }) => body)).toEqual(texts.toReversed());
});

test('messages can be filtered by time and sorted oldest first', async () => {
  const at = await begin();
  await agent.post(`${at}/messages`, { body: 'one' });
  const { sent_at } = (await agent.post(`${at}/messages`, { body: 'two' })).body.conversation_message;
  await agent.post(`${at}/messages`, { body: 'three' });
  const { body } = await agent.get(`${at}/messages?updated_from=${sent_at}&sort_order=asc`);
  expect(body.messages.map((message: Message) => message.body)).toEqual(['two', 'three']);
  expect(body.pagination.total).toBe(2);
});
