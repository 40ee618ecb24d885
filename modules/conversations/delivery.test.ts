import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from '@chowk/kit';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startAccounts } from '../../server/testing/accounts.ts';
import { eventually } from '../../server/testing/eventually.ts';
import { filePart, formRequest } from '../../server/testing/form-body.ts';
import { newAddress, receive } from '../../server/testing/received-messages.ts';
import { recordReceipt } from '../notifications/messages/receipts.ts';
import type { Received } from './schemas.ts';

const mails: Email[] = [];
let refusal: string | undefined;
const smtp = new SMTPServer({
  disabledCommands: ['AUTH', 'STARTTLS'],
  onRcptTo: (_address, _session, done) =>
    done(refusal === undefined ? null : Object.assign(new Error(refusal), { responseCode: 550 })),
  async onData(stream, _session, done) {
    mails.push(await PostalMime.parse(Buffer.concat(await Array.fromAsync(stream as AsyncIterable<Buffer>))));
    done();
  },
});
smtp.listen(0, '127.0.0.1');
await once(smtp.server, 'listening');

const texts: URLSearchParams[] = [];
let twilioStatus = 201;
const twilio = createServer(async (request, response) => {
  texts.push(new URLSearchParams(Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString()));
  response.writeHead(twilioStatus).end(JSON.stringify({ sid: `SM${texts.length}` }));
}).listen(0, '127.0.0.1');
await once(twilio, 'listening');
afterAll(async () => {
  twilio.close();
  await new Promise<void>((closed) => smtp.close(closed));
});

const platform = await startAccounts({
  environment: {
    OUTBOUND_ALLOW_HOSTS: '127.0.0.1',
    TWILIO_URL: `http://127.0.0.1:${(twilio.address() as AddressInfo).port}`,
    MAIL_URL: `smtp://127.0.0.1:${(smtp.server.address() as AddressInfo).port}`,
    MAIL_FROM: 'Chowk <no-reply@chowk.example>',
  },
});
const tenant = await platform.tenant({ name: 'Chai & Co' });
const owner = await platform.person({ tenant });
const url = '/api/v1/conversations';
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

beforeEach(() => {
  mails.length = 0;
  texts.length = 0;
  refusal = undefined;
  twilioStatus = 201;
});

async function begin(fields: object = {}) {
  const customer = { email: `${randomUUID()}@example.com` };
  const { status, body } = await owner.post(url, { customer, channel: 'email', subject: 'Your tea', ...fields });
  expect(status).toBe(201);
  return body.conversation;
}

const reply = async (id: string, fields: object = {}) =>
  (await owner.post(`${url}/${id}/messages`, { body: 'It left us on Tuesday.', ...fields })).body.conversation_message;

const upload = async (): Promise<string> =>
  (await owner.request(formRequest(`${url}/attachments`, filePart(png, 'leaf.png')))).body.attachment.id;

const reached = (id: string, status: string) =>
  eventually(async () => {
    const { messages } = (await owner.get(`${url}/${id}`)).body.conversation;
    expect(messages[0].delivery_status).toBe(status);
    return messages[0];
  });

describe('a reply by email', () => {
  test('is sent in the name of the organization, and the next one belongs to its thread', async () => {
    const conversation = await begin();
    const notice =
      'Answers of the customer do not come back: set up a mailbox of your own, or set `notifications.reply_to`.';
    expect(conversation.reply_delivery).toEqual({ is_sent: true, reason: null, notice, needs_template: false });
    expect(await reply(conversation.id)).toMatchObject({ delivery_status: 'queued', delivery_reason: null });
    await reached(conversation.id, 'sent');
    await reply(conversation.id, { body: 'It has arrived.' });
    await reached(conversation.id, 'sent');
    const [first, second] = mails as [Email, Email];
    expect(first).toMatchObject({
      from: { name: 'Chai & Co', address: 'no-reply@chowk.example' },
      to: [{ address: conversation.customer.email }],
      subject: 'Your tea',
    });
    expect(first.text?.trim()).toBe('It left us on Tuesday.');
    expect(first.headers.map(({ key }) => key)).not.toContain('auto-submitted');
    expect(second).toMatchObject({ subject: 'Re: Your tea', inReplyTo: first.messageId, references: first.messageId });
    expect(mails).toHaveLength(2);
  });

  test('has the address for answers of the organization where the platform receives no mails', async () => {
    const { id } = await begin();
    const address = 'hello@shop.example';
    const wrong = await owner.patch('/api/v1/settings', { 'notifications.reply_to': 'a@b, c@d' });
    expect(wrong).toMatchObject({ status: 422 });
    await owner.patch('/api/v1/settings', { 'notifications.reply_to': address });
    const { reply_delivery } = (await owner.get(`${url}/${id}`)).body.conversation;
    expect(reply_delivery.notice).toBe(`Answers go to ${address} and do not come back to this conversation.`);
    await reply(id);
    await reached(id, 'sent');
    expect(mails[0]).toMatchObject({ replyTo: [{ address }] });
    await owner.patch('/api/v1/settings', { 'notifications.reply_to': '' });
  });

  test('has the files that were uploaded for it', async () => {
    const { id } = await begin();
    const { status, body } = await owner.request(
      formRequest(`${url}/attachments`, filePart(png, '../../etc/leaf.png')),
    );
    expect({ status, attachment: body.attachment }).toMatchObject({
      status: 201,
      attachment: { file_name: 'leaf.png', type: 'image/png', size: png.length },
    });
    const attachment_ids = [body.attachment.id];
    const message = await reply(id, { attachment_ids });
    expect(message.attachments).toEqual([body.attachment]);
    const link = (await owner.get(`${url}/${id}/attachments/${body.attachment.id}`)).body.url;
    const { pathname, search } = new URL(link);
    const file = await platform.app.inject({ method: 'GET', url: pathname + search });
    expect(file.rawPayload.equals(png)).toBe(true);
    await reached(id, 'sent');
    expect(mails[0]?.attachments).toMatchObject([{ filename: 'leaf.png', mimeType: 'image/png' }]);
    expect(Buffer.from(mails[0]?.attachments[0]?.content as ArrayBuffer).equals(png)).toBe(true);
    const again = await owner.post(`${url}/${id}/messages`, { body: 'Once more', attachment_ids });
    expect(again).toMatchObject({ status: 422, body: { code: 'conversations.unknown_attachment' } });
  });

  test('may be a file without text, but not nothing', async () => {
    const { id } = await begin();
    const attachment_ids = [await upload()];
    const message = await reply(id, { body: undefined, attachment_ids });
    expect(message).toMatchObject({ body: '', attachments: [{ file_name: 'leaf.png' }] });
    await reached(id, 'sent');
    expect(mails[0]?.attachments).toMatchObject([{ filename: 'leaf.png' }]);
    const { status, body } = await owner.post(`${url}/${id}/messages`, { body: ' \n', attachment_ids: [] });
    const refusal = ['Write a message or attach a file.'];
    expect({ status, errors: body.errors }).toEqual({ status: 422, errors: { body: refusal } });
    const customer = { email: `${randomUUID()}@example.com` };
    const first = { attachment_ids: [await upload()] };
    const begun = await owner.post(url, { customer, channel: 'email', message: first });
    expect(begun).toMatchObject({ status: 201, body: { conversation: { message_count: 1, has_attachment: true } } });
    await reached(begun.body.conversation.id, 'sent');
    const empty = await owner.post(url, { customer, channel: 'email', message: {} });
    expect(empty).toMatchObject({ status: 422, body: { errors: { 'message.body': refusal } } });
  });

  test('that the mail server refuses has failed, with the reason but not the address, and can be sent again', async () => {
    const { id, customer } = await begin();
    refusal = `5.1.1 <${customer.email}>: no such mailbox`;
    await reply(id);
    const failed = await reached(id, 'failed');
    expect(failed.delivery_reason).toContain('no such mailbox');
    expect(failed.delivery_reason).not.toContain(customer.email);
    refusal = undefined;
    const at = `${url}/${id}/messages/${failed.id}/retry`;
    expect(await owner.post(at)).toMatchObject({
      status: 200,
      body: { conversation_message: { delivery_status: 'queued', delivery_reason: null } },
    });
    await reached(id, 'sent');
    expect(mails).toHaveLength(1);
    expect(await owner.post(at)).toMatchObject({ status: 409, body: { code: 'conversations.not_failed' } });
  });

  test('can be recorded without being sent', async () => {
    const { id } = await begin();
    expect(await reply(id, { log_only: true })).toMatchObject({ delivery_status: 'logged' });
    await reply(id, { body: 'This one is sent.' });
    await reached(id, 'sent');
    expect(mails.map(({ text }) => text?.trim())).toEqual(['This one is sent.']);
  });
});

test('notes and messages of the customer are not sent', async () => {
  const { id } = await begin();
  expect(await reply(id, { direction: 'note' })).toMatchObject({ delivery_status: null });
  expect(await reply(id, { direction: 'inbound' })).toMatchObject({ delivery_status: null });
  await reply(id);
  await reached(id, 'sent');
  expect(mails).toHaveLength(1);
});

test.each([
  ['phone', { phone: '+919876500001' }, 'Replies on this channel are not sent: answer the customer there.'],
  ['sms', { phone: '+919876500002' }, 'SMS is not set up: the organization has chosen no provider.'],
  ['email', { phone: '+919876500003' }, 'The customer has no email address.'],
])('a reply over %s that cannot be sent is only logged, and that is said before', async (channel, customer, reason) => {
  const conversation = await begin({ channel, customer });
  expect(conversation.reply_delivery).toEqual({ is_sent: false, reason, notice: null, needs_template: false });
  expect(await reply(conversation.id)).toMatchObject({ delivery_status: 'logged', delivery_reason: reason });
});

describe('a reply by SMS or WhatsApp', () => {
  beforeAll(async () => {
    const numbers = { sms_from: '+15005550006', whatsapp_from: '+14155238886' };
    const account = { account_sid: `AC${'0'.repeat(32)}`, auth_token: 'token', ...numbers };
    await owner.put('/api/v1/message-providers/twilio', account);
    await owner.patch('/api/v1/settings', {
      'notifications.sms_provider': 'twilio',
      'notifications.whatsapp_provider': 'twilio',
    });
  });

  test('has its files as links that the provider fetches', async () => {
    const { id } = await begin({ channel: 'sms', customer: { phone: '+919876543211' } });
    await reply(id, { body: '', attachment_ids: [await upload(), await upload()] });
    await reached(id, 'sent');
    const [sent] = texts as [URLSearchParams];
    expect([sent.get('Body'), sent.getAll('MediaUrl').length]).toEqual(['', 2]);
    const { pathname, search } = new URL(sent.get('MediaUrl') as string);
    const file = await platform.app.inject({ method: 'GET', url: pathname + search });
    expect(file.rawPayload.equals(png)).toBe(true);
  });

  const whatsappFrom = (phone: string, fields: Partial<Received> = {}) =>
    receive(tenant, { channel: 'whatsapp', contact: phone, customer: { phone }, ...fields });

  test('over WhatsApp may be free text after a message that came in there, in every conversation of the customer', async () => {
    const phone = '+919876543216';
    const email = newAddress();
    const planFor = async (id: string) => (await owner.get(`${url}/${id}`)).body.conversation.reply_delivery;
    const { id, customer_id } = await begin({ channel: 'whatsapp', customer: { phone, email } });
    await reply(id, { direction: 'inbound' });
    expect(await planFor(id)).toMatchObject({ is_sent: false, needs_template: true });
    const mail = await receive(tenant, { contact: email });
    await owner.post(`${url}/${id}/merge`, { conversation_id: mail.conversation_id });
    expect(await planFor(id)).toMatchObject({ is_sent: false, needs_template: true });
    const received = await whatsappFrom(phone, { is_separate: true });
    expect(received.customer_id).toBe(customer_id);
    expect(await planFor(id)).toMatchObject({ is_sent: true, needs_template: false });
    const target = await begin({ channel: 'email', customer: { id: customer_id } });
    await owner.post(`${url}/${target.id}/merge`, { conversation_id: received.conversation_id });
    expect(await planFor(id)).toMatchObject({ is_sent: true, needs_template: false });
    const { channels } = (await owner.get(`${url}/channels?customer_id=${customer_id}`)).body;
    expect(channels).toContainEqual({
      channel: 'whatsapp',
      is_sent: true,
      reason: null,
      notice: null,
      needs_template: false,
    });
  });

  test('that is a template has no files', async () => {
    const { id } = await begin({ channel: 'whatsapp', customer: { phone: '+919876543217' } });
    const message = { template: { id: `HX${'a'.repeat(32)}` }, body: 'Hello', attachment_ids: [await upload()] };
    const errors = [expect.stringContaining('without files')];
    const answered = await owner.post(`${url}/${id}/messages`, message);
    expect(answered).toMatchObject({ status: 422, body: { errors: { attachment_ids: errors } } });
    const begun = await owner.post(url, { customer: { phone: '+919876543218' }, channel: 'whatsapp', message });
    expect(begun).toMatchObject({ status: 422, body: { errors: { 'message.attachment_ids': errors } } });
  });

  test('says that WhatsApp takes one file', async () => {
    const { id } = await begin({ channel: 'whatsapp', customer: { phone: '+919876543212' } });
    await whatsappFrom('+919876543212');
    await reply(id, { attachment_ids: [await upload(), await upload()] });
    expect((await reached(id, 'failed')).delivery_reason).toContain('one file');
    expect(texts).toEqual([]);
  });

  test('that is a template is sent again as the template, also while free text is not allowed', async () => {
    const { id } = await begin({ channel: 'whatsapp', customer: { phone: '+919876543213' } });
    const template = { id: `HX${'a'.repeat(32)}`, variables: { 1: 'Asha' } };
    twilioStatus = 400;
    const { id: message } = await reply(id, { body: 'Hello Asha', template });
    await reached(id, 'failed');
    twilioStatus = 201;
    expect(await owner.post(`${url}/${id}/messages/${message}/retry`)).toMatchObject({ status: 200 });
    await reached(id, 'sent');
    expect(texts.map((sent) => [sent.get('ContentSid'), sent.get('ContentVariables')])).toEqual(
      Array(2).fill([template.id, '{"1":"Asha"}']),
    );
  });

  test('that is free text is not sent again once the customer has been silent for a day', async () => {
    const { id } = await begin({ channel: 'whatsapp', customer: { phone: '+919876543214' } });
    await whatsappFrom('+919876543214');
    twilioStatus = 400;
    const { id: message } = await reply(id);
    await reached(id, 'failed');
    await tenant.db.run(sql`
      UPDATE conversation_messages SET sent_at = now() - interval '25 hours' WHERE conversation_id = ${id} AND direction = 'inbound'`);
    const { status, body } = await owner.post(`${url}/${id}/messages/${message}/retry`);
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'conversations.not_deliverable' });
  });

  test('is delivered and read as the provider reports, in any order', async () => {
    const { id } = await begin({ channel: 'sms', customer: { phone: '+919876543210' } });
    const { id: messageId } = await reply(id);
    await reached(id, 'sent');
    expect(texts.map((sent) => [sent.get('To'), sent.get('Body')])).toEqual([
      ['+919876543210', 'It left us on Tuesday.'],
    ]);
    const before = (await owner.get(`${url}/${id}`)).body.conversation.updated_at;
    const report = (status: 'delivered' | 'read' | 'failed') =>
      recordReceipt(tenant.context('notifications'), {
        id: messageId,
        provider: 'twilio',
        status,
        reason: null,
      });
    await report('read');
    await report('delivered');
    await report('failed');
    await report('read');
    const { messages, updated_at } = (await owner.get(`${url}/${id}`)).body.conversation;
    expect(messages[0]).toMatchObject({ delivery_status: 'read', delivery_reason: null });
    expect(updated_at > before).toBe(true);
  });
});
