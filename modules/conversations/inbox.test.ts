import { randomUUID } from 'node:crypto';
import { sql } from '@chowk/kit';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Person, startAccounts } from '../../server/testing/accounts.ts';
import { eventually } from '../../server/testing/eventually.ts';
import { RealtimeClient } from '../../server/testing/realtime-client.ts';
import { receive } from '../../server/testing/received-messages.ts';
import { findNamed } from './mentions.ts';
import type { Conversation, Message } from './schemas.ts';
import { wakeDue } from './snooze.ts';

const platform = await startAccounts();
const acme = await platform.tenant();
const owner = await platform.person({ tenant: acme });
const asha = await platform.person({ tenant: acme, role: 'Agent', name: 'Asha' });
const menon = await platform.person({ tenant: acme, role: 'Agent', name: 'Asha Menon' });
const viewer = await platform.person({ tenant: acme, role: 'Viewer' });
const url = '/api/v1/conversations';
const hour = 3_600_000;

type Detail = Conversation & { messages: Message[] };
const begin = async (fields: object = {}): Promise<Detail> => {
  const customer = { email: `${randomUUID()}@example.com`, first_name: 'Meera' };
  const { status, body } = await owner.post(url, { customer, channel: 'email', ...fields });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body.conversation;
};
const show = async (id: string): Promise<Detail> => (await owner.get(`${url}/${id}`)).body.conversation;
const write = (id: string, body: string, fields: object = {}, person: Person = owner) =>
  person.post(`${url}/${id}/messages`, { body, ...fields });
const ids = async (query: string) =>
  (await owner.get(`${url}?${query}`)).body.conversations.map(({ id }: Conversation) => id);
const notified = async (person: Person, type: string) =>
  (await person.get(`/api/v1/notifications?type=${type}`)).body.notifications;

test('without a mail server a reply by email is only logged, which is said before, and kept for developers', async () => {
  const email = `${randomUUID()}@example.com`;
  const begun = await begin({ customer: { email }, subject: 'Your tea' });
  const reason = 'No mail server is configured: the operator of the platform must set MAIL_URL.';
  expect(begun).toMatchObject({ reply_delivery: { is_sent: false, reason } });
  await write(begun.id, 'It left us on Tuesday.');
  expect(await platform.mailTo(email)).toMatchObject({ subject: 'Your tea', text: 'It left us on Tuesday.' });
  expect((await show(begun.id)).messages).toMatchObject([{ delivery_status: 'logged', delivery_reason: reason }]);
});

describe('a snoozed conversation', () => {
  const later = () => new Date(Date.now() + hour).toISOString();

  test('keeps its status, and comes back when the customer writes', async () => {
    const { id, customer } = await begin({ message: { body: 'Hi', direction: 'inbound' } });
    const { status, body } = await asha.post(`${url}/${id}/snooze`, {});
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { conversation: { is_snoozed: true, snoozed_until: null, status: 'open' } },
    });
    const mine = `customer_id=${customer?.id}`;
    expect([await ids(`${mine}&snoozed=true`), await ids(`${mine}&snoozed=false`)]).toEqual([[id], []]);
    await write(id, 'We are looking.');
    expect(await show(id)).toMatchObject({ is_snoozed: true });
    await write(id, 'Well?', { direction: 'inbound' });
    expect(await show(id)).toMatchObject({ is_snoozed: false, snoozed_until: null });
    expect([await ids(`${mine}&snoozed=true`), await ids(`${mine}&snoozed=false`)]).toEqual([[], [id]]);
  });

  test('comes back at its time, once, with a notification', async () => {
    const { id } = await begin();
    await owner.post(`${url}/${id}/assign`, { assignee_id: asha.id });
    const until = new Date(Date.now() + 1_500).toISOString();
    const { conversation } = (await owner.post(`${url}/${id}/snooze`, { until })).body;
    expect(conversation).toMatchObject({ is_snoozed: true, snoozed_until: until });
    await eventually(async () => expect(await show(id)).toMatchObject({ is_snoozed: false, snoozed_until: null }));
    expect(await notified(asha, 'conversation.snooze_ended')).toMatchObject([
      { title: 'The conversation with Meera is due', data: { conversation_id: id } },
    ]);
    await wakeDue(acme.context('conversations'), { id, until });
    expect(await notified(asha, 'conversation.snooze_ended')).toMatchObject([{ count: 1 }]);
  });

  test('that was snoozed again is not woken by the first time', async () => {
    const { id } = await begin();
    const [first, second] = [later(), new Date(Date.now() + 2 * hour).toISOString()];
    await owner.post(`${url}/${id}/snooze`, { until: first });
    await owner.post(`${url}/${id}/snooze`, { until: second });
    const ctx = acme.context('conversations');
    await wakeDue(ctx, { id, until: first });
    expect(await show(id)).toMatchObject({ is_snoozed: true, snoozed_until: second });
    await Promise.all([1, 2, 3].map(() => wakeDue(ctx, { id, until: second })));
    expect(await show(id)).toMatchObject({ is_snoozed: false });
    expect(await notified(owner, 'conversation.snooze_ended')).toMatchObject([{ count: 1 }]);
  });

  test('can be taken back, and a closed one is none', async () => {
    const { id } = await begin();
    await owner.post(`${url}/${id}/snooze`, { until: later() });
    expect((await owner.post(`${url}/${id}/unsnooze`)).body.conversation).toMatchObject({ is_snoozed: false });
    await owner.post(`${url}/${id}/snooze`, {});
    await owner.post(`${url}/${id}/close`);
    expect(await show(id)).toMatchObject({ is_snoozed: false, status: 'closed' });
    expect(await owner.post(`${url}/${id}/snooze`, {})).toMatchObject({ status: 409 });
    expect(await viewer.post(`${url}/${id}/unsnooze`)).toMatchObject({ status: 403 });
  });

  test.each(['2020-01-01T00:00:00Z', '2099-01-01T00:00:00Z', 'tomorrow', 5])('cannot be due at %s', async (until) => {
    const { id } = await begin();
    const { status, body } = await owner.post(`${url}/${id}/snooze`, { until });
    expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: ['until'] });
  });
});

describe('an answer', () => {
  const seen = async (id: string) => (await show(id)).messages[0]?.id as string;

  test('is refused if a colleague has answered since, and only then', async () => {
    const { id } = await begin({ message: { body: 'Hi', direction: 'inbound' } });
    const last_message_id = await seen(id);
    expect(await write(id, 'A note', { direction: 'note' }, asha)).toMatchObject({ status: 201 });
    expect(await write(id, 'More', { direction: 'inbound' }, asha)).toMatchObject({ status: 201 });
    expect(await write(id, 'One', { last_message_id })).toMatchObject({ status: 201 });
    expect(await write(id, 'And another thing', { last_message_id })).toMatchObject({ status: 201 });
    const refused = await write(id, 'Two', { last_message_id }, asha);
    expect(refused).toMatchObject({ status: 409, body: { code: 'conversations.answered_since' } });
    expect(await write(id, 'A note', { direction: 'note', last_message_id }, asha)).toMatchObject({ status: 201 });
    expect(await write(id, 'Two', { last_message_id: await seen(id) }, asha)).toMatchObject({ status: 201 });
    expect(await write(id, 'Three')).toMatchObject({ status: 201 });
  });

  test('of several colleagues at the same time is sent once', async () => {
    const { id } = await begin({ message: { body: 'Hi', direction: 'inbound' } });
    const last_message_id = await seen(id);
    const answers = await Promise.all([owner, asha, menon].map((one) => write(id, 'Hello', { last_message_id }, one)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
    const { messages } = await show(id);
    expect(messages.filter(({ direction }) => direction === 'outbound')).toHaveLength(1);
  });

  test('to a conversation without messages names none, and an unknown one is not found', async () => {
    const { id } = await begin();
    expect(await write(id, 'One', { last_message_id: null })).toMatchObject({ status: 201 });
    expect(await write(id, 'Two', { last_message_id: null }, asha)).toMatchObject({ status: 409 });
    expect(await write(id, 'Two', { last_message_id: randomUUID() })).toMatchObject({ status: 404 });
  });
});

describe('mentions', () => {
  test('are the ids of the members that a note names', async () => {
    const { id } = await begin();
    const note = await write(id, 'Ask @asha menon, not @nobody', { direction: 'note' });
    expect(note.body.conversation_message.mentions).toEqual([menon.id]);
    await write(id, '@Asha: hello', { direction: 'outbound' });
    const { messages } = await show(id);
    expect(messages.map(({ mentions }) => mentions)).toEqual([[], [menon.id]]);
    await eventually(async () => expect(await notified(menon, 'conversation.mentioned')).toHaveLength(1));
    expect(await notified(asha, 'conversation.mentioned')).toEqual([]);
    expect(await owner.delete(`${url}/${id}`)).toMatchObject({ status: 200 });
  });

  test.each([
    ['@Asha and @ASHA RAO', [1, 2]],
    ['@Asharani', []],
    ['asha@example.com', []],
    ['@Zoë!', [3]],
    ['@', []],
  ])('of %s', (text, expected) => {
    const team = [
      { id: 1, name: 'Asha' },
      { id: 2, name: 'Asha Rao' },
      { id: 3, name: 'Zoë' },
      { id: 4, name: '' },
    ];
    expect(findNamed(text, team)).toEqual(expected);
  });
});

describe('two conversations of a customer', () => {
  const twice = async () => {
    const target = await begin({ subject: 'Tea', message: { body: 'One', direction: 'inbound' } });
    const customer = { id: target.customer_id };
    const other = await begin({ customer, channel: 'sms', message: { body: 'Two', direction: 'inbound' } });
    await write(target.id, 'Three');
    return { target, other };
  };

  test('become one, with all messages in their order', async () => {
    const { target, other } = await twice();
    await owner.post(`${url}/${target.id}/close`);
    const { status, body } = await asha.post(`${url}/${target.id}/merge`, { conversation_id: other.id });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { conversation: { id: target.id, subject: 'Tea', channel: 'email', message_count: 3, status: 'open' } },
    });
    const merged = await show(target.id);
    expect(merged.messages.map(({ body }) => body)).toEqual(['Three', 'Two', 'One']);
    expect(merged.last_message_at).toBe(merged.messages[0]?.sent_at);
    expect(await owner.get(`${url}/${other.id}`)).toMatchObject({ status: 404 });
    const { counts } = (await owner.get(`${url}/counts?customer_id=${target.customer_id}`)).body;
    expect(counts).toEqual({ open: 1, pending: 0, closed: 0 });
  });

  test('are found by what still names the one that is gone, also after two merges', async () => {
    const { target, other } = await twice();
    const third = await begin({ customer: { id: target.customer_id } });
    await owner.post(`${url}/${target.id}/merge`, { conversation_id: other.id });
    await owner.post(`${url}/${third.id}/merge`, { conversation_id: target.id });
    const received = await receive(acme, {
      customer: { id: target.customer_id },
      contact: null,
      conversation_id: other.id,
      body: 'Four',
    });
    expect(received.conversation_id).toBe(third.id);
    expect(await show(third.id)).toMatchObject({ message_count: 4 });
    expect(await owner.delete(`${url}/${third.id}`)).toMatchObject({ status: 200 });
  });

  test('that are merged into each other at the same time lose nothing', async () => {
    const { target, other } = await twice();
    const merge = (into: string, from: string) => owner.post(`${url}/${into}/merge`, { conversation_id: from });
    const writing = Array.from({ length: 5 }, (_, n) => write(other.id, `Message ${n}`));
    const [one, two] = await Promise.all([merge(target.id, other.id), merge(other.id, target.id)]);
    expect([one.status, two.status].toSorted()).toEqual([200, 404]);
    const written = (await Promise.all(writing)).filter(({ status }) => status === 201).length;
    const kept = one.status === 200 ? target.id : other.id;
    expect((await owner.get(`${url}/${kept}`)).body.conversation.message_count).toBe(3 + written);
    const { total } = (await owner.get(`${url}/${kept}/messages`)).body.pagination;
    const row = await acme.db.row(
      sql`SELECT count(*) AS count FROM conversation_messages WHERE conversation_id = ${kept}`,
    );
    expect({ total, row }).toEqual({ total: 3 + written, row: { count: 3 + written } });
  });

  test('that are merged while messages come in get all of them', async () => {
    const { target, other } = await twice();
    const customer = { id: target.customer_id };
    const write = () => receive(acme, { customer, contact: null, conversation_id: other.id, body: 'More' });
    const receiving = Array.from({ length: 8 }, write);
    const merge = owner.post(`${url}/${target.id}/merge`, { conversation_id: other.id });
    const received = await Promise.all([...receiving, ...Array.from({ length: 8 }, write)]);
    expect((await merge).status).toBe(200);
    expect(received.every(({ is_new }) => is_new)).toBe(true);
    expect(await show(target.id)).toMatchObject({ message_count: 3 + 16 });
  });

  test('of two customers, or one and the same, are not merged', async () => {
    const [one, two] = [await begin(), await begin()];
    const merge = (conversation_id: string, person: Person = owner) =>
      person.post(`${url}/${one.id}/merge`, { conversation_id });
    expect(await merge(two.id)).toMatchObject({ status: 409, body: { code: 'conversations.other_customer' } });
    expect(await merge(one.id)).toMatchObject({ status: 422 });
    expect(await merge(randomUUID())).toMatchObject({ status: 404 });
    expect(await merge(two.id, viewer)).toMatchObject({ status: 403 });
  });
});

describe('colleagues', () => {
  const path = `/app/${platform.kernel.realtime.key}?protocol=7&client=test&version=1`;
  beforeAll(async () => {
    await platform.app.listen({ host: '127.0.0.1', port: 0 });
  });
  const watch = async (person: Person, channel_name: string) => {
    const client = new RealtimeClient(platform.app, path);
    const socket_id = await client.socketId();
    const { status, body } = await person.post('/broadcasting/auth', { socket_id, channel_name });
    if (status === 200) client.send('pusher:subscribe', { channel: channel_name, ...body });
    return { client, status };
  };

  test('see who looks at a conversation and who is typing', async () => {
    const { id } = await begin();
    const channel = `presence-conversations.${id}`;
    const { client } = await watch(owner, channel);
    await client.next('pusher_internal:subscription_succeeded');
    const second = await watch(asha, channel);
    expect((await client.next('pusher_internal:member_added')).data.user_info).toEqual({ id: asha.id, name: 'Asha' });
    expect(await asha.post(`${url}/${id}/typing`)).toMatchObject({ status: 200 });
    expect((await client.next('conversation.typing')).data).toEqual({
      tenant_id: acme.id,
      conversation_id: id,
      user_id: asha.id,
      name: 'Asha',
    });
    second.client.socket.close();
    expect((await client.next('pusher_internal:member_removed')).data).toEqual({ user_id: String(asha.id) });
    expect(await viewer.post(`${url}/${id}/typing`)).toMatchObject({ status: 403 });
    expect(await asha.post(`${url}/${randomUUID()}/typing`)).toMatchObject({ status: 404 });
  });

  test('need the permission to view the records of a channel', async () => {
    const { id } = await begin();
    expect(await watch(asha, `presence-conversations.${id}`)).toMatchObject({ status: 200 });
    expect(await watch(asha, `presence-audit.${id}`)).toMatchObject({ status: 403 });
    expect(await watch(asha, `presence-nothing.${id}`)).toMatchObject({ status: 403 });
  });
});

test('GraphQL has the same', async () => {
  const { id, customer_id } = await begin({ message: { body: 'Hi', direction: 'inbound' } });
  const other = await begin({ customer: { id: customer_id } });
  const query = `mutation ($id: ID!, $other: ID!) {
    snoozeConversation(id: $id) { is_snoozed snoozed_until has_attachment }
    unsnoozeConversation(id: $id) { is_snoozed }
    mergeConversations(id: $id, input: { conversation_id: $other }) { id message_count }
    setConversationAvailability(input: { is_available: true }) { is_available user { id } }
  }`;
  const { body } = await owner.post('/api/v1/graphql', { query, variables: { id, other: other.id } });
  expect(body).toMatchObject({
    data: {
      snoozeConversation: { is_snoozed: true, snoozed_until: null, has_attachment: false },
      unsnoozeConversation: { is_snoozed: false },
      mergeConversations: { id, message_count: 1 },
    },
  });
  const figures = `{ conversationFigures(from: "2026-01-01", to: "2026-01-31") { totals { answered } days { day } } }`;
  expect((await owner.post('/api/v1/graphql', { query: figures })).body).toMatchObject({
    data: { conversationFigures: { totals: { answered: 0 }, days: [] } },
  });
});
