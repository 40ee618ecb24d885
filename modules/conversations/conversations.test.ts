import { randomUUID } from 'node:crypto';
import { sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { auditEntries } from '../../server/testing/audit-entries.ts';
import { startPlatform } from '../../server/testing/platform.ts';

const platform = await startPlatform();
const acme = await platform.tenant();
const permissions = ['view', 'reply', 'assign', 'close', 'delete', 'export'].map((verb) => `conversations.${verb}`);
const agent = acme.caller(...permissions);
const unknownId = '0190a000-0000-7000-8000-000000000000';
const url = '/api/v1/conversations';

const draft = (fields: object = {}) => ({
  customer: { email: `${randomUUID()}@example.com` },
  channel: 'email',
  ...fields,
});
const create = async (fields: object = {}) => {
  const { status, body } = await agent.post(url, draft(fields));
  expect({ status, body }).toMatchObject({ status: 201 });
  return body.conversation;
};

test('a conversation with an unknown person creates a customer', async () => {
  const { status, body } = await agent.post(url, {
    customer: { phone: '098765 43210', email: 'Asha@Example.com', first_name: 'Asha', last_name: 'Rao' },
    channel: 'whatsapp',
    subject: ' Where is my tea? ',
    message: { direction: 'inbound', body: 'Hello,\nwhere is it?' },
  });
  expect(status).toBe(201);
  const { created_at, customer_id, id } = body.conversation;
  const [message] = body.conversation.messages;
  expect(body).toEqual({
    message: 'Conversation created.',
    conversation: {
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      customer_id,
      channel: 'whatsapp',
      subject: 'Where is my tea?',
      status: 'open',
      assignee_id: null,
      is_snoozed: false,
      snoozed_until: null,
      has_attachment: false,
      message_count: 1,
      last_message_at: message.sent_at,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: expect.any(String),
      customer: {
        id: customer_id,
        first_name: 'Asha',
        last_name: 'Rao',
        email: 'asha@example.com',
        phone: '+**********10',
      },
      assignee: null,
      last_message: { direction: 'inbound', excerpt: 'Hello,\nwhere is it?', sent_at: message.sent_at },
      is_unread: true,
      has_failed: false,
      waiting_since: message.sent_at,
      messages: [
        {
          id: expect.any(String),
          conversation_id: id,
          direction: 'inbound',
          body: 'Hello,\nwhere is it?',
          user_id: null,
          delivery_status: null,
          delivery_reason: null,
          sender: null,
          quoted: null,
          has_html: false,
          is_automatic: false,
          sent_at: expect.any(String),
          user: null,
          attachments: [],
          mentions: [],
        },
      ],
      reply_delivery: {
        is_sent: false,
        reason: 'WhatsApp is not set up: the organization has chosen no provider.',
        notice: null,
        needs_template: false,
      },
    },
  });
  expect(created_at <= message.sent_at).toBe(true);
  expect((await agent.get(`${url}/${id}`)).body).toEqual({ conversation: body.conversation });
});

test('a conversation can start without a message', async () => {
  const conversation = await create({ channel: 'phone' });
  expect(conversation).toMatchObject({ subject: '', message_count: 0, last_message: null, messages: [] });
  expect(conversation.last_message_at).toBe(conversation.created_at);
});

test('the phone is masked in all responses without the permission', async () => {
  const { id, customer_id } = await create({ customer: { phone: '+919876500001' } });
  const trusted = acme.caller('conversations.view', 'conversations.export', 'customers.view_sensitive');
  const phones = async (caller: typeof agent) => [
    (await caller.get(`${url}/${id}`)).body.conversation.customer.phone,
    (await caller.get(`${url}?customer_id=${customer_id}`)).body.conversations[0].customer.phone,
    (await caller.get(`${url}/export?format=json&customer_id=${customer_id}`)).body.conversations[0].customer.phone,
  ];
  expect(await phones(trusted)).toEqual(Array(3).fill('+919876500001'));
  expect(await phones(agent)).toEqual(Array(3).fill('+**********01'));
});

test('a second conversation finds the customer by phone, email or id', async () => {
  const { customer_id } = await create({ customer: { phone: '+919876500002', email: 'two@example.com' } });
  expect(await create({ customer: { phone: '098765-00002', first_name: 'Other' } })).toMatchObject({ customer_id });
  expect(await create({ customer: { email: 'TWO@example.com' } })).toMatchObject({ customer_id });
  expect(await create({ customer: { id: customer_id } })).toMatchObject({ customer_id });
});

test('concurrent conversations with an unknown person create one customer', async () => {
  const begun = await Promise.all(Array.from({ length: 8 }, () => create({ customer: { email: 'race@example.com' } })));
  expect(new Set(begun.map(({ customer_id }) => customer_id)).size).toBe(1);
});

test.each([
  ['customer', { customer: undefined }],
  ['customer', { customer: 'Asha' }],
  ['customer.id', { customer: { id: 'x' } }],
  ['customer.id', { customer: { id: unknownId } }],
  ['customer.phone', { customer: { phone: 'call me' } }],
  ['customer.email', { customer: { email: 'nowhere' } }],
  ['customer.first_name', { customer: { first_name: 'x'.repeat(256) } }],
  ['channel', { channel: 'pigeon' }],
  ['channel', { channel: undefined }],
  ['subject', { subject: 'x'.repeat(256) }],
  ['subject', { subject: 'two\nlines' }],
  ['message.body', { message: { body: '' } }],
  ['message.body', { message: { body: ' \n ' } }],
  ['message.body', { message: { body: 'a\u0000b' } }],
  ['message.body', { message: { body: 'x'.repeat(20_001) } }],
  ['message.body', { message: {} }],
  ['message.direction', { message: { body: 'x', direction: 'sideways' } }],
])('an invalid %s is reported and no conversation is created: %j', async (field, wrong) => {
  const before = (await agent.get(url)).body.pagination.total;
  const { status, body } = await agent.post(url, draft(wrong));
  expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: [field] });
  expect((await agent.get(url)).body.pagination.total).toBe(before);
});

test('read-only fields cannot be set', async () => {
  const forged = {
    id: unknownId,
    status: 'closed',
    assignee_id: 1,
    message_count: 9,
    created_at: '2000-01-01T00:00:00Z',
  };
  const conversation = await create(forged);
  expect(conversation).toMatchObject({ status: 'open', assignee_id: null, message_count: 0 });
  expect(conversation.id).not.toBe(unknownId);
  const { body } = await agent.patch(`${url}/${conversation.id}`, forged);
  const { messages: _, reply_delivery: __, ...shown } = conversation;
  expect(body.conversation).toEqual(shown);
});

test('an update changes the subject only', async () => {
  const { messages: _, reply_delivery: __, ...conversation } = await create({ subject: 'Before' });
  const { status, body } = await agent.patch(`${url}/${conversation.id}`, { subject: ' After ' });
  expect({ status, message: body.message }).toEqual({ status: 200, message: 'Conversation saved.' });
  const { updated_at } = body.conversation;
  expect(body.conversation).toEqual({ ...conversation, subject: 'After', updated_at });
});

test('deleting a conversation deletes its messages', async () => {
  const { id } = await create({ message: { body: 'Hello' } });
  expect(await agent.delete(`${url}/${id}`)).toMatchObject({
    status: 200,
    body: { message: 'Conversation deleted.' },
  });
  const left = await acme.db.row(sql`SELECT FROM conversation_messages WHERE conversation_id = ${id}`);
  expect(left).toBeUndefined();
});

const calls = (id: string) => [
  agent.get(`${url}/${id}`),
  agent.patch(`${url}/${id}`, { subject: 'Mine' }),
  agent.delete(`${url}/${id}`),
  agent.get(`${url}/${id}/messages`),
  agent.post(`${url}/${id}/messages`, { body: 'x' }),
  agent.post(`${url}/${id}/assign`, { assignee_id: null }),
  agent.post(`${url}/${id}/status`, { status: 'pending' }),
  agent.post(`${url}/${id}/close`),
  agent.post(`${url}/${id}/reopen`),
];

test('unknown ids and ids of other tenants are 404, invalid ones 422', async () => {
  const elsewhere = (await platform.tenant()).caller('conversations.reply');
  const { body } = await elsewhere.post(url, draft());
  for (const { status, body: answer } of await Promise.all([unknownId, body.conversation.id].flatMap(calls))) {
    expect({ status, code: answer.code }).toEqual({ status: 404, code: 'conversations.not_found' });
  }
  for (const { status, body: answer } of await Promise.all(calls('tea'))) {
    expect({ status, fields: Object.keys(answer.errors) }).toEqual({ status: 422, fields: ['id'] });
  }
});

test('without the customers module conversations can be read but not started', async () => {
  const shop = await platform.tenant();
  const caller = shop.caller(...permissions);
  const { body } = await caller.post(url, draft());
  await platform.kernel.installations.set(shop.id, 'customers', 'disabled');
  const refused = await caller.post(url, draft());
  expect({ status: refused.status, code: refused.body.code }).toEqual({
    status: 409,
    code: 'conversations.no_customers',
  });
  const shown = await caller.get(`${url}/${body.conversation.id}`);
  expect(shown.body.conversation).toMatchObject({ id: body.conversation.id, customer: null });
  expect((await caller.post(`${url}/${body.conversation.id}/close`)).body.conversation.status).toBe('closed');
});

test('all problems of a new conversation are reported at once', async () => {
  const { status, body } = await agent.post(url, {
    customer: { phone: 'call me', email: 'nowhere', first_name: 5 },
    channel: 'pigeon',
    subject: 'two\nlines',
    message: { body: ' \n ', direction: 'sideways' },
  });
  expect({ status, codes: body.error_codes }).toEqual({
    status: 422,
    codes: {
      'customer.phone': ['invalid'],
      'customer.email': ['invalid'],
      'customer.first_name': ['wrong_type'],
      channel: ['not_allowed'],
      subject: ['invalid'],
      'message.body': ['required'],
      'message.direction': ['not_allowed'],
    },
  });
  expect(Object.keys(body.errors).toSorted()).toEqual(Object.keys(body.error_codes).toSorted());
});

test('an unknown customer and an empty message are reported together', async () => {
  const { status, body } = await agent.post(url, draft({ customer: { id: unknownId }, message: { body: '' } }));
  expect({ status, codes: body.error_codes }).toEqual({
    status: 422,
    codes: { 'customer.id': ['unknown'], 'message.body': ['required'] },
  });
});

test('a change of an older version is rejected, a message is still added', async () => {
  const { id } = await create({ subject: 'Before' });
  const at = `${url}/${id}`;
  const { headers } = await agent.get(at);
  const version = { 'if-match': headers.etag as string };
  const saved = await agent.patch(at, { subject: 'After' }, version);
  expect({ status: saved.status, isNew: saved.headers.etag !== headers.etag }).toEqual({ status: 200, isNew: true });
  const refused = await Promise.all([
    agent.patch(at, { subject: 'Late' }, version),
    agent.post(`${at}/assign`, { assignee_id: null }, version),
    agent.post(`${at}/status`, { status: 'closed' }, version),
    agent.post(`${at}/close`, undefined, version),
    agent.post(`${at}/reopen`, undefined, version),
    agent.delete(at, undefined, version),
  ]);
  for (const { status, body } of refused) {
    expect({ status, code: body.code }).toEqual({ status: 412, code: 'http.precondition_failed' });
  }
  expect((await agent.get(at)).body.conversation).toMatchObject({ subject: 'After', status: 'open' });
  const current = (await agent.get(at)).headers.etag as string;
  expect((await agent.get(at, { 'if-none-match': current })).status).toBe(304);
  expect((await agent.post(`${at}/messages`, { body: 'Hello' }, version)).status).toBe(201);
  expect((await agent.post(`${at}/close`, undefined, { 'if-match': '*' })).status).toBe(200);
});

test('changes and deletions are in the audit log without texts', async () => {
  const { id, customer_id } = await create({ subject: 'Secret' });
  const at = `${url}/${id}`;
  await agent.post(`${at}/status`, { status: 'pending' });
  await agent.post(`${at}/close`);
  await agent.post(`${at}/close`);
  await agent.post(`${at}/messages`, { body: 'My number is 12345', direction: 'inbound' });
  await agent.patch(at, { subject: 'Still secret' });
  await agent.delete(at);
  const { body } = await acme
    .caller('audit.view')
    .get(`/api/v1/audit?resource=conversations&resource_id=${id}&sort_order=asc`);
  expect(body.audit).toMatchObject([
    { action: 'conversations.create', outcome: 'ok', transport: 'rest', user_id: agent.user.id },
    { action: 'conversations.updateStatus', changes: { status: ['open', 'pending'] } },
    { action: 'conversations.close', changes: { status: ['pending', 'closed'] } },
    { action: 'conversations.close', changes: null },
    { action: 'conversations.reply', changes: { status: ['closed', 'open'] } },
    { action: 'conversations.update', changes: { subject: '••••' } },
    { action: 'conversations.delete', changes: { customer_id: [customer_id, null], status: ['open', null] } },
  ]);
  expect(JSON.stringify(body.audit)).not.toMatch(/secret|12345/i);
});

test('an export is in the audit log', async () => {
  const shop = await platform.tenant();
  const clerk = shop.caller('conversations.export');
  await clerk.get(`${url}/export?status=closed`);
  const lines = await auditEntries(platform, shop.caller('audit.view'), 'conversations.export');
  expect(lines).toMatchObject([{ user_id: clerk.user.id, outcome: 'ok', input: { status: 'closed' } }]);
});
