import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { startAccounts } from '../../../../server/testing/accounts.ts';
import { eventually } from '../../../../server/testing/eventually.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const token = 'twilio-auth-token-7';
const sent: { url: string; fields: URLSearchParams; authorization: string | undefined }[] = [];

/** Answers as Twilio, and serves the picture of a message to those who know the token. */
const server = createServer(async (request, response) => {
  const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString();
  const { authorization } = request.headers;
  sent.push({ url: request.url ?? '', fields: new URLSearchParams(body), authorization });
  const isKnown = authorization?.endsWith(Buffer.from(`${sid}:${token}`).toString('base64'));
  if (request.method === 'GET') response.writeHead(isKnown ? 200 : 401).end(png);
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

  test('has its pictures, fetched with the token from Twilio only', async () => {
    const path = '/2010-04-01/Accounts/AC/Messages/MM/Media/ME';
    const media = { NumMedia: '2', MediaUrl0: `${twilioUrl}${path}`, MediaUrl1: `${twilioUrl}.evil.example/steal` };
    await deliver(inbound, text({ From: '+919876500012', Body: '', ...media }));
    const { id } = await eventually(async () => {
      const [latest] = await conversations();
      expect(latest.customer.phone).toBe('+919876500012');
      return latest;
    });
    const [message] = (await show(id)).messages;
    expect(message.attachments).toMatchObject([{ type: 'image/png', size: png.length, reason: null }]);
    expect(sent.map(({ url }) => url)).toEqual([path]);
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
      report: (MessageStatus: string, fields = {}) => deliver(path, { MessageSid: newSid(), MessageStatus, ...fields }),
      state: async () => (await show(id)).messages[0],
    };
  }

  test('changes the message, late, twice and in any order', async () => {
    const { report, state } = await reply();
    for (const status of ['read', 'sent', 'delivered', 'delivered', 'undelivered', 'read']) await report(status);
    expect(await state()).toMatchObject({ delivery_status: 'read', delivery_reason: null });
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
    });
    const template = { id: `HX${'a'.repeat(32)}`, variables: { 1: 'Asha' } };
    const answer = await owner.post(`/api/v1/conversations/${id}/messages`, { body: 'Hello Asha', template });
    expect(answer.body.conversation_message).toMatchObject({ delivery_status: 'queued' });
    const { fields } = await eventually(() => sent[0] ?? expect.fail('not sent'));
    expect(Object.fromEntries(fields)).toMatchObject({ ContentSid: template.id, ContentVariables: '{"1":"Asha"}' });
    expect(fields.has('Body')).toBe(false);
    await deliver(inbound, text({ From: 'whatsapp:+919876500013' }));
    expect((await show(id)).reply_delivery).toEqual({ is_sent: true, reason: null, needs_template: false });
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
    ['of a wrong phone', received({ id: 'd', from: { phone: 'nobody' } })],
  ])('gets a clear error for an event %s', async (_, event) => {
    expect(await post(event)).toMatchObject({ status: 422, body: { errors: expect.any(Object) } });
  });
});
