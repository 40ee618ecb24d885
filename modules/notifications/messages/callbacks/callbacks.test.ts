import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from '@chowk/kit';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { startAccounts } from '../../../../server/testing/accounts.ts';
import { eventually } from '../../../../server/testing/eventually.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const token = 'twilio-auth-token-7';
/** The statuses of the next answers. */
const failures: number[] = [];
const sent: { url: string; body: string; fields: URLSearchParams; authorization: string | undefined }[] = [];

/** Answers as Twilio, and serves the picture of a message to those who know the token. */
const server = createServer(async (request, response) => {
  const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString();
  const { authorization } = request.headers;
  sent.push({ url: request.url ?? '', body, fields: new URLSearchParams(body), authorization });
  const isKnown = authorization?.endsWith(Buffer.from(`${sid}:${token}`).toString('base64'));
  const failing = failures.shift();
  if (failing !== undefined) response.writeHead(failing).end();
  else if (request.method === 'GET' && request.url?.endsWith('/Voice')) {
    response.writeHead(200, { 'content-type': 'audio/ogg; codecs=opus' }).end('OggS');
  } else if (request.method === 'GET') response.writeHead(isKnown ? 200 : 401).end(png);
  else response.writeHead(201).end(JSON.stringify({ sid: newSid() }));
}).listen(0, '127.0.0.1');
await once(server, 'listening');
afterAll(() => void server.close());
const twilioUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const sid = `AC${'0'.repeat(32)}`;
const newSid = () => `SM${randomBytes(16).toString('hex')}`;

const platform = await startAccounts({ environment: { OUTBOUND_ALLOW_HOSTS: '127.0.0.1', TWILIO_URL: twilioUrl } });
const tenant = await platform.tenant();
const owner = await platform.person({ tenant });
const account = { account_sid: sid, auth_token: token, sms_from: '+15005550006', whatsapp_from: '+14155238886' };
await owner.put('/api/v1/message-providers/twilio', account);
const { secret } = (await owner.put('/api/v1/message-providers/webhook', { url: twilioUrl })).body;
const use = (provider: string) =>
  owner.patch('/api/v1/settings', {
    'notifications.sms_provider': provider,
    'notifications.whatsapp_provider': provider,
  });

beforeEach(async () => {
  sent.length = 0;
  await use('twilio');
});

const tenantUrl = tenant.context('notifications').tenantUrl;
const conversations = async () => (await owner.get('/api/v1/conversations')).body.conversations;
const show = async (id: string) => (await owner.get(`/api/v1/conversations/${id}`)).body.conversation;

/** Signed as Twilio does it: the address, then names and values in the order of the names. */
function deliver(path: string, fields: Record<string, string>, { key = token, at = tenantUrl } = {}) {
  const names = Object.keys(fields).sort();
  const text = `${at}${path}${names.map((name) => name + fields[name]).join('')}`;
  return platform.request({
    method: 'POST',
    url: path,
    headers: {
      'x-tenant': tenant.id,
      'content-type': 'application/x-www-form-urlencoded',
      'x-twilio-signature': createHmac('sha1', key).update(text).digest('base64'),
    },
    payload: new URLSearchParams(fields).toString(),
  });
}

const inbound = '/api/v1/message-providers/twilio/inbound';
const text = (fields: Record<string, string> = {}) => ({
  MessageSid: newSid(),
  From: '+919876543210',
  To: '+15005550006',
  Body: 'Where is my tea?',
  NumMedia: '0',
  ...fields,
});

describe('a text message from Twilio', () => {
  test('begins a conversation, and is added once however often it is delivered', async () => {
    const message = text({ From: 'whatsapp:+919876500011', ProfileName: 'Asha' });
    const responses = await Promise.all(Array.from({ length: 5 }, () => deliver(inbound, message)));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(responses[0]?.headers['content-type']).toContain('text/xml');
    const [conversation] = await conversations();
    expect(conversation).toMatchObject({
      channel: 'whatsapp',
      message_count: 1,
      customer: { first_name: 'Asha', phone: '+919876500011' },
      last_message: { direction: 'inbound', excerpt: 'Where is my tea?' },
    });
  });

  test.each([
    ['another secret', { key: 'wrong' }],
    ['another address', { at: 'https://evil.example' }],
  ])('that is signed for %s is refused', async (_, forged) => {
    const before = await conversations();
    expect(await deliver(inbound, text(), forged)).toMatchObject({
      status: 403,
      body: { code: 'notifications.bad_signature' },
    });
    expect(await conversations()).toEqual(before);
  });

  test('has its files, fetched with the token from Twilio only', async () => {
    const path = '/2010-04-01/Accounts/AC/Messages/MM/Media/ME';
    const urls = {
      MediaUrl0: `${twilioUrl}${path}`,
      MediaUrl1: `${twilioUrl}.evil.example/steal`,
      MediaUrl2: `${twilioUrl}/Voice`,
    };
    await deliver(inbound, text({ From: '+919876500012', Body: '', NumMedia: '3', ...urls }));
    const { id } = await eventually(async () => {
      const [latest] = await conversations();
      expect(latest.customer.phone).toBe('+919876500012');
      return latest;
    });
    const [message] = (await show(id)).messages;
    expect(message.attachments).toMatchObject([
      { type: 'image/png', size: png.length, reason: null },
      { file_name: 'media.ogg', type: 'application/octet-stream', size: 4, reason: null },
    ]);
    expect(sent.map(({ url }) => url)).toEqual([path, '/Voice']);
  });
});

describe('a report of Twilio', () => {
  async function reply() {
    const from = `+9198765${String(Math.floor(Math.random() * 1e5)).padStart(5, '0')}`;
    await deliver(inbound, text({ From: from }));
    const [{ id }] = await conversations();
    await owner.post(`/api/v1/conversations/${id}/messages`, { body: 'On its way' });
    const callback = await eventually(() => sent[0]?.fields.get('StatusCallback') ?? expect.fail('not sent'));
    const path = callback.slice(tenantUrl.length);
    return {
      report: (MessageStatus: string, fields = {}, forged = {}) =>
        deliver(path, { MessageSid: newSid(), MessageStatus, ...fields }, forged),
      state: async () => (await show(id)).messages[0],
    };
  }

  test('changes the message, late, twice and in any order', async () => {
    const { report, state } = await reply();
    for (const status of ['read', 'sent', 'delivered', 'delivered', 'undelivered', 'read']) await report(status);
    expect(await state()).toMatchObject({ delivery_status: 'read', delivery_reason: null });
  });

  test('that is signed with another secret changes nothing', async () => {
    const { report, state } = await reply();
    await eventually(async () => expect(await state()).toMatchObject({ delivery_status: 'sent' }));
    expect(await report('read', {}, { key: 'wrong' })).toMatchObject({ status: 403 });
    expect(await state()).toMatchObject({ delivery_status: 'sent' });
  });

  test('says why a message failed', async () => {
    const { report, state } = await reply();
    await report('undelivered', { ErrorCode: '30003' });
    expect(await state()).toMatchObject({
      delivery_status: 'failed',
      delivery_reason: expect.stringContaining('30003'),
    });
    await report('delivered');
    expect(await state()).toMatchObject({ delivery_status: 'delivered', delivery_reason: null });
  });
});

describe('WhatsApp', () => {
  test('gets free text only within a day after a message of the customer, and templates always', async () => {
    const customer = { phone: '+919876500013' };
    const created = await owner.post('/api/v1/conversations', { customer, channel: 'whatsapp' });
    const { id, reply_delivery } = created.body.conversation;
    expect(reply_delivery).toEqual({
      is_sent: false,
      needs_template: true,
      reason: expect.stringContaining('within 24 hours'),
      notice: null,
    });
    const template = { id: `HX${'a'.repeat(32)}`, variables: { 1: 'Asha' } };
    const answer = await owner.post(`/api/v1/conversations/${id}/messages`, { body: 'Hello Asha', template });
    expect(answer.body.conversation_message).toMatchObject({ delivery_status: 'queued' });
    const { fields } = await eventually(() => sent[0] ?? expect.fail('not sent'));
    expect(Object.fromEntries(fields)).toMatchObject({ ContentSid: template.id, ContentVariables: '{"1":"Asha"}' });
    expect(fields.has('Body')).toBe(false);
    await deliver(inbound, text({ From: 'whatsapp:+919876500013' }));
    expect((await show(id)).reply_delivery).toMatchObject({ is_sent: true, needs_template: false });
  });
});

describe('a server of the tenant', () => {
  const url = '/api/v1/message-providers/webhook/inbound';

  function post(event: object, { key = secret, at = new Date() } = {}) {
    const body = JSON.stringify(event);
    const headers = {
      'x-tenant': tenant.id,
      'content-type': 'application/json',
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': new Webhook(key).sign('msg_1', at, body),
    };
    return platform.request({ method: 'POST', url, headers, payload: body });
  }

  const received = (data: object = {}) => ({
    type: 'message.received',
    data: { id: 'a-1', channel: 'other', from: { email: 'meera@example.com', name: 'Meera' }, body: 'Hello', ...data },
  });

  test('hands over messages of customers once', async () => {
    for (const _ of [1, 2]) expect(await post(received())).toMatchObject({ status: 200 });
    const [conversation] = await conversations();
    expect(conversation).toMatchObject({
      channel: 'other',
      message_count: 1,
      customer: { email: 'meera@example.com' },
    });
  });

  test('hands over an answer to another message, its time and its files', async () => {
    await use('webhook');
    const from = { phone: '+919876500016' };
    await post(received({ id: 'q-1', channel: 'sms', from }));
    const [{ id }] = await conversations();
    const sentAt = new Date(Date.now() - 5 * 3_600_000).toISOString();
    const late = { sent_at: sentAt, in_reply_to: 'q-1', channel: 'other', from: { email: 'asha@example.com' } };
    expect(await post(received({ id: 'q-2', body: 'Earlier', ...late }))).toMatchObject({ status: 200 });
    const { body } = await owner.post(`/api/v1/conversations/${id}/messages`, { body: 'On its way' });
    const in_reply_to = body.conversation_message.id;
    const attachments = [`${twilioUrl}/gone/list%20of%20teas.csv`, `${twilioUrl}/Voice`].map((url) => ({ url }));
    const answer = { id: 'q-3', in_reply_to, body: 'Thanks', from: { phone: '+919876500017' }, attachments };
    await eventually(() => expect(sent).toHaveLength(1));
    sent.length = 0;
    // One is tried again, one does not exist.
    failures.push(503, 404);
    expect(await post(received(answer))).toMatchObject({ status: 200 });
    await eventually(() => expect(sent).not.toEqual([]));
    const messages = await eventually(async () => {
      // The next attempt is due.
      await platform.kernel.central.db.run(sql`
        UPDATE pgboss.job SET start_after = now() WHERE data->>'tenant' = ${tenant.id} AND start_after > now()`);
      const { messages: all } = await show(id);
      expect(all).toHaveLength(4);
      return all;
    });
    expect(messages).toMatchObject([
      {
        body: 'Thanks',
        attachments: [
          { file_name: 'list of teas.csv', reason: expect.stringContaining('404') },
          { file_name: 'Voice', type: 'application/octet-stream', size: 4, reason: null },
        ],
      },
      { direction: 'outbound' },
      { body: 'Hello' },
      { body: 'Earlier', sent_at: sentAt, sender: 'asha@example.com' },
    ]);
  });

  test('gets the template of a WhatsApp message', async () => {
    await use('webhook');
    const customer = { phone: '+919876500018' };
    const template = { id: `HX${'a'.repeat(32)}`, variables: { 1: 'Asha' } };
    await owner.post('/api/v1/conversations', {
      customer,
      channel: 'whatsapp',
      message: { body: 'Hello Asha', template },
    });
    const { body } = await eventually(() => sent.find((one) => one.body.includes('Hello Asha')) ?? Promise.reject());
    expect(JSON.parse(body).data).toMatchObject({ message: 'Hello Asha', template });
  });

  test('reports what has become of a message that it got', async () => {
    await use('webhook');
    const customer = { phone: '+919876500014' };
    const { id } = (await owner.post('/api/v1/conversations', { customer, channel: 'sms' })).body.conversation;
    const { body } = await owner.post(`/api/v1/conversations/${id}/messages`, { body: 'On its way' });
    await eventually(() => expect(sent).toHaveLength(1));
    await post({ type: 'message.delivered', data: { id: body.conversation_message.id } });
    expect((await show(id)).messages[0]).toMatchObject({ delivery_status: 'delivered' });
  });

  test.each([
    ['another secret', { key: `whsec_${randomBytes(32).toString('base64')}` }],
    ['an hour ago', { at: new Date(Date.now() - 3_600_000) }],
  ])('is refused with a signature of %s', async (_, forged) => {
    expect(await post(received({ id: 'forged' }), forged)).toMatchObject({ status: 403 });
  });

  test.each([
    ['without a type', {}],
    [
      'without a text',
      { type: 'message.received', data: { id: 'b', channel: 'sms', from: { phone: '+919876500015' } } },
    ],
    ['without a sender', received({ id: 'c', from: {} })],
    ['of a file of a private address', received({ id: 'e', attachments: [{ url: 'http://10.0.0.1/a.png' }] })],
    ['of a wrong time', received({ id: 'f', sent_at: 'yesterday' })],
    ['of a wrong phone', received({ id: 'd', from: { phone: 'nobody' } })],
  ])('gets a clear error for an event %s', async (_, event) => {
    expect(await post(event)).toMatchObject({ status: 422, body: { errors: expect.any(Object) } });
  });
});
