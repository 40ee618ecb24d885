import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { sql } from '@chowk/kit';
import { createTransport, type SendMailOptions } from 'nodemailer';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { afterAll, describe, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '../../server/src/smtp/receiver.ts';
import { startAccounts } from '../../server/testing/accounts.ts';
import { eventually } from '../../server/testing/eventually.ts';
import { replyAddress } from './addresses.ts';
import { receiveRawMail } from './receive-mail.ts';

/** The mail server of the customers. */
const delivered: (Email & { readonly envelopeFrom: string })[] = [];
const customers = new SMTPServer({
  disabledCommands: ['AUTH', 'STARTTLS'],
  async onData(stream, { envelope }, done) {
    const mail = await PostalMime.parse(Buffer.concat(await Array.fromAsync(stream as AsyncIterable<Buffer>)));
    delivered.push({ ...mail, envelopeFrom: envelope.mailFrom ? envelope.mailFrom.address : '' });
    done();
  },
});
customers.listen(0, '127.0.0.1');
await once(customers.server, 'listening');
afterAll(() => new Promise<void>((closed) => customers.close(closed)));

const platform = await startAccounts({
  environment: {
    MAIL_URL: `smtp://127.0.0.1:${(customers.server.address() as AddressInfo).port}`,
    INBOUND_SMTP_PORT: '0',
    INBOUND_MAIL_DOMAIN: 'in.example.com',
  },
});
const receiver = (await startReceiver(platform.kernel)) as Receiver;
afterAll(async () => {
  client.close();
  await receiver.close();
});
const client = createTransport({ host: '127.0.0.1', port: receiver.port, pool: true, ignoreTLS: true });
const tenant = await platform.tenant({ name: 'Chai & Co' });
const owner = await platform.person({ tenant });
const url = '/api/v1/conversations';
const inbox = `${tenant.id}@in.example.com`;
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const send = (mail: SendMailOptions) => client.sendMail({ to: inbox, ...mail });
const show = async (id: string) => (await owner.get(`${url}/${id}`)).body.conversation;
const findBySubject = (subject: string) =>
  eventually(async () => {
    const { conversations } = (await owner.get(`${url}?per_page=100`)).body;
    const found = conversations.find((one: { subject: string }) => one.subject === subject);
    expect(found).toBeDefined();
    return show(found.id);
  });

const findMail = (text: string) =>
  eventually(() => {
    const found = delivered.find((mail) => mail.text?.includes(text));
    expect(found).toBeDefined();
    return found as (typeof delivered)[number];
  });
const signedAddress = /^reply\+[0-9a-v]{26}\.[0-9a-v]{13}\.t\w+@in\.example\.com$/;

describe('a mail of a customer', () => {
  test('begins a conversation, is answered in its thread, and so is the answer to that', async () => {
    const from = `${randomUUID()}@example.com`;
    const { messageId } = await send({ from: `Asha Rao <${from}>`, subject: 'Where is my tea?', text: 'Hello' });
    const conversation = await findBySubject('Where is my tea?');
    expect(conversation).toMatchObject({
      channel: 'email',
      customer: { email: from, first_name: 'Asha', last_name: 'Rao' },
      messages: [{ direction: 'inbound', body: 'Hello', sender: null, has_html: false, is_automatic: false }],
    });

    let answered = messageId;
    for (const round of [1, 2]) {
      await owner.post(`${url}/${conversation.id}/messages`, { body: `It left us on Tuesday (${round}).` });
      const letter = await findMail(`(${round})`);
      expect(letter).toMatchObject({ subject: 'Re: Where is my tea?', inReplyTo: answered });
      expect(letter.references?.split(/\s+/)).toContain(answered);
      const [replyTo] = letter.replyTo ?? [];
      expect(replyTo?.address).toMatch(signedAddress);

      const answer = await send({
        from,
        to: replyTo?.address as string,
        subject: letter.subject as string,
        text: `Thank you (${round}).\n\nOn Tue, 17 Nov 2026 at 10:00, Chai & Co wrote:\n> ${letter.text}`,
      });
      answered = answer.messageId;
      await eventually(async () => {
        const { messages } = await show(conversation.id);
        expect(messages[0]).toMatchObject({ direction: 'inbound', body: `Thank you (${round}).` });
        expect(messages[0].quoted).toContain('> It left us on Tuesday');
      });
    }
    expect(await show(conversation.id)).toMatchObject({ message_count: 5, status: 'open' });
  });

  test('comes with its files, and its HTML is cleaned', async () => {
    const subject = `Files ${randomUUID()}`;
    await send({
      from: 'asha@example.com',
      subject,
      html: '<p>Look: <img src="cid:tea"><img src="https://tracker.example/p.gif"><script>alert(1)</script></p>',
      attachments: [
        { filename: 'tea.png', content: png, cid: 'tea' },
        { filename: 'macro.html', content: '<b>MZ</b' },
      ],
    });
    const { id, messages } = await findBySubject(subject);
    const [{ id: message, body, has_html, attachments }] = messages;
    expect({ body, has_html }).toEqual({ body: 'Look:', has_html: true });
    expect(attachments).toEqual([
      expect.objectContaining({ file_name: 'tea.png', type: 'image/png', reason: null }),
      expect.objectContaining({ file_name: 'macro.html', type: 'application/octet-stream', size: 8, reason: null }),
    ]);
    // Never shown as a page or a picture.
    const link = (await owner.get(`${url}/${id}/attachments/${attachments[1].id}`)).body.url;
    const { pathname, search } = new URL(link);
    const file = await platform.app.inject({ method: 'GET', url: pathname + search });
    expect(file.payload).toBe('<b>MZ</b');
    expect(file.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': expect.stringMatching(/^attachment; filename="macro\.html"/),
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    });
    const page = `${url}/${id}/messages/${message}/html`;
    const picture = `<img src="data:image/png;base64,${png.toString('base64')}" alt="" />`;
    expect((await owner.get(page)).body).toEqual({
      html: `<p>Look: ${picture}<img data-remote-src="https://tracker.example/p.gif" alt="" /></p>`,
      has_remote_images: true,
    });
    expect((await owner.get(`${page}?images=true`)).body.html).toContain('<img src="https://tracker.example/p.gif"');
    expect((await owner.get(`${url}/${id}/messages/${randomUUID()}/html`)).status).toBe(404);
  });

  test('that comes again is not added again, whatever it says then', async () => {
    const subject = `Once ${randomUUID()}`;
    const messageId = `<${randomUUID()}@example.com>`;
    await send({ from: 'asha@example.com', subject, messageId, text: 'First' });
    await findBySubject(subject);
    await send({ from: 'asha@example.com', subject, messageId, text: 'Second' });
    const after = `After ${randomUUID()}`;
    await send({ from: 'asha@example.com', subject: after, text: 'Third' });
    await findBySubject(after);
    expect(await findBySubject(subject)).toMatchObject({ message_count: 1, messages: [{ body: 'First' }] });
  });

  test('to the reply address belongs to the conversation, regardless of the sender', async () => {
    const subject = `Family ${randomUUID()}`;
    await send({ from: 'asha@example.com', subject, text: 'Hello' });
    const { id } = await findBySubject(subject);
    const to = replyAddress(tenant.context('mailbox'), { conversation_id: id }) as string;
    const from = `${randomUUID()}@example.com`;
    // Mail programs change the case.
    await send({ from, to: to.toUpperCase(), subject: 'Other', text: 'I am her brother.' });
    await eventually(async () =>
      expect((await show(id)).messages[0]).toMatchObject({ body: 'I am her brother.', sender: from }),
    );
  });
});

describe('a mail of a program', () => {
  const headers: [string, Record<string, string>][] = [
    ['an automatic reply', { 'Auto-Submitted': 'auto-replied' }],
    ['mail in bulk', { Precedence: 'bulk' }],
    ['a reply of Exchange', { 'X-Auto-Response-Suppress': 'All' }],
    ['a mailing list', { 'List-Id': '<all.example.com>' }],
  ];
  test.each([...headers, ['no program', { 'Auto-Submitted': 'no' }]] as typeof headers)('%s', async (name, fields) => {
    const subject = `${name} ${randomUUID()}`;
    await send({ from: `${randomUUID()}@example.com`, subject, text: 'Hello', headers: fields });
    const { messages } = await findBySubject(subject);
    expect(messages[0].is_automatic).toBe(name !== 'no program');
  });

  test('is also one of a sender who writes more often than a person', async () => {
    const from = `${randomUUID()}@example.com`;
    const ctx = tenant.context('mailbox');
    const mail = () => Buffer.from(`From: ${from}\r\nMessage-ID: <${randomUUID()}@x>\r\n\r\nHello`);
    const ids = [];
    for (let n = 0; n < 21; n += 1) ids.push((await receiveRawMail(ctx, { mail: mail() })).message_id);
    const rows = await tenant.db.rows<{ is_automatic: boolean }>(sql`
      SELECT is_automatic FROM conversation_messages WHERE id = ANY(${ids}::uuid[]) ORDER BY id`);
    expect(rows.map((row) => row.is_automatic)).toEqual([...Array.from({ length: 20 }, () => false), true]);
  });
});

describe('a mail that is fetched from a mailbox', () => {
  const hour = 3_600_000;
  const day = 24 * hour;
  const fetched = async (date: string, fields = '') => {
    const subject = randomUUID();
    const mail = `From: a@example.com\r\nDate: ${date}\r\nMessage-ID: <${subject}@x>\r\nSubject: ${subject}\r\n${fields}\r\nHello`;
    const { message_id } = await receiveRawMail(tenant.context('mailbox'), { mail: Buffer.from(mail) });
    const row = await tenant.db.row<{ id: string }>(
      sql`SELECT conversation_id AS id FROM conversation_messages WHERE id = ${message_id}`,
    );
    return show(row?.id as string);
  };

  test('has the time at which it was written, and so has its conversation', async () => {
    const written = new Date(Math.floor((Date.now() - 3 * day) / 1_000) * 1_000);
    const at = written.toISOString();
    const conversation = await fetched(written.toUTCString());
    expect(conversation).toMatchObject({ created_at: at, last_message_at: at, waiting_since: at, is_unread: true });
    expect(conversation.messages).toMatchObject([{ sent_at: at }]);
    const { updated_at } = conversation;
    expect(Date.now() - Date.parse(updated_at)).toBeLessThan(hour);
  });

  test('is shown among the messages in the order in which they were written', async () => {
    const first = await fetched(new Date(Date.now() - 3 * day).toUTCString(), 'References: <none@x>\r\n');
    const { id, subject } = first;
    await owner.post(`${url}/${id}/messages`, { body: 'Our answer' });
    const later = await fetched(new Date(Date.now() - 2 * day).toUTCString(), `In-Reply-To: <${subject}@x>\r\n`);
    expect(later.id).toBe(id);
    expect(later.messages.map(({ direction }: { direction: string }) => direction)).toEqual([
      'outbound',
      'inbound',
      'inbound',
    ]);
  });

  test.each([
    ['in the future', () => new Date(Date.now() + day).toUTCString()],
    ['of long ago', () => new Date(Date.now() - 91 * day).toUTCString()],
    ['that is none', () => 'yesterday'],
  ])('with a date %s has the time at which it came in', async (_, date) => {
    const { messages } = await fetched(date());
    expect(Math.abs(Date.now() - Date.parse(messages[0].sent_at))).toBeLessThan(hour);
  });
});

/** Reports to the envelope sender, as mail servers do, that a mail could not be delivered. */
async function sendBack({ envelopeFrom, messageId }: (typeof delivered)[number]): Promise<void> {
  const report = [
    'Return-Path: <>',
    'From: mailer-daemon@example.com',
    'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
    '',
    '--b',
    '',
    'Your mail could not be delivered.',
    '--b',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.example.com',
    '',
    'Final-Recipient: rfc822; gone@example.com',
    'Action: failed',
    'Status: 5.1.1',
    'Diagnostic-Code: smtp; 550 5.1.1 <gone@example.com> no such user',
    '--b',
    'Content-Type: message/rfc822',
    '',
    `Message-ID: ${messageId}`,
    '',
    'Are you there?',
    '--b--',
  ].join('\r\n');
  await client.sendMail({ envelope: { from: '', to: envelopeFrom }, raw: report });
}

test('a reply that comes back has failed, with the reason and without the address', async () => {
  const subject = `Bounce ${randomUUID()}`;
  await send({ from: 'gone@example.com', subject, text: 'Hello' });
  const { id } = await findBySubject(subject);
  await owner.post(`${url}/${id}/messages`, { body: 'Are you there?' });
  await eventually(async () => expect((await show(id)).messages[0].delivery_status).toBe('sent'));
  const mail = await findMail('Are you there?');
  expect(mail.envelopeFrom).toMatch(signedAddress);
  await sendBack(mail);
  await eventually(async () =>
    expect((await show(id)).messages[0]).toMatchObject({
      delivery_status: 'failed',
      delivery_reason: 'The mail was returned: 550 5.1.1 … no such user',
    }),
  );
  expect(await show(id)).toMatchObject({ message_count: 2 });
});

test('answers to a mail of a rule come in, and so do reports about it', async () => {
  const rules = '/api/v1/notification-rules';
  const template = { subject: 'Welcome', body: 'Welcome to the shop' };
  const { rule } = (await owner.post(rules, { event: 'customer.created', channel: 'email', template })).body;
  await owner.post('/api/v1/customers', { email: `${randomUUID()}@example.com` });
  const deliveries = async () => (await owner.get(`${rules}/${rule.id}/deliveries`)).body.deliveries;
  await eventually(async () => expect(await deliveries()).toMatchObject([{ status: 'sent' }]));
  const mail = await findMail('Welcome to the shop');
  expect(mail).toMatchObject({ envelopeFrom: inbox, replyTo: [{ name: 'Chai & Co', address: inbox }] });
  await sendBack(mail);
  await eventually(async () => expect(await deliveries()).toMatchObject([{ status: 'failed' }]));
  await owner.delete(`${rules}/${rule.id}`);
});

test('two systems that answer automatically do not answer each other for ever', async () => {
  const other = await platform.tenant();
  const person = await platform.person({ tenant: other });
  const day = new Date(Date.now() + 3 * 24 * 3_600_000).toLocaleDateString('en', { weekday: 'short' }).toLowerCase();
  await person.patch('/api/v1/settings', {
    'conversations.opening_hours': [{ days: [day], from: '00:00', to: '24:00' }],
    'conversations.closed_answer': 'We are back on that day.',
  });
  const from = `${randomUUID()}@example.com`;
  await send({ from, to: `${other.id}@in.example.com`, subject: 'Tea', text: 'Hello' });
  const answer = await findMail('We are back on that day.');
  const headers = Object.fromEntries(answer.headers.map(({ key, value }) => [key, value]));
  expect(headers).toMatchObject({ 'auto-submitted': 'auto-replied', 'x-auto-response-suppress': 'All' });
  // To both addresses that such systems use, and also by one that does not say what it is.
  const reply = { from, subject: 'Re: Tea', inReplyTo: answer.messageId };
  await send({ ...reply, to: answer.envelopeFrom, text: 'I am away', headers: { 'Auto-Submitted': 'auto-replied' } });
  await send({ ...reply, to: answer.replyTo?.[0]?.address as string, text: 'We got your mail' });
  await eventually(async () => {
    const [conversation, ...others] = (await person.get(url)).body.conversations;
    expect({ count: conversation.message_count, others }).toEqual({ count: 4, others: [] });
  });
});

test('the address of the organization can be read with the settings', async () => {
  expect((await owner.get('/api/v1/mailbox')).body).toEqual({ mailbox: { address: inbox } });
  const agent = await platform.person({ tenant, role: 'Agent' });
  expect((await agent.get('/api/v1/mailbox')).status).toBe(403);
});

test('an organization whose id is too long for an address for answers gets them at its own', async () => {
  const other = await platform.tenant({ id: `t${randomUUID().slice(0, 30)}` });
  const ctx = other.context('mailbox');
  expect(replyAddress(ctx, { conversation_id: randomUUID() })).toBe(`${other.id}@in.example.com`);
});
