import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Ctx, sql } from '@chowk/kit';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { Webhook as Verifier } from 'standardwebhooks';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { startAccounts } from '../../../server/testing/accounts.ts';
import { eventually } from '../../../server/testing/eventually.ts';
import type { TestTenant } from '../../../server/testing/platform.ts';
import { repositoryModules } from '../../../server/testing/repository-modules.ts';
import { testModule } from '../../../server/testing/test-module.ts';
import { messageJobs } from './messages.ts';

interface Received {
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** By the clock of the platform. */
  readonly at: number;
}

const received: Received[] = [];
const accepted = { status: 201, body: '{"sid":"SM1234"}', headers: {} };
let answer: { status: number; body: string; headers: Record<string, string> } = accepted;
const server = createServer(async (request, response) => {
  const chunks = await Array.fromAsync(request as AsyncIterable<Buffer>);
  received.push({ url: request.url, headers: request.headers, body: Buffer.concat(chunks).toString(), at: now });
  response.writeHead(answer.status, answer.headers).end(answer.body);
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const mails: { to: string[]; raw: string; mail: Email }[] = [];
const smtp = new SMTPServer({
  disabledCommands: ['AUTH', 'STARTTLS'],
  async onData(stream, session, done) {
    const raw = Buffer.concat(await Array.fromAsync(stream as AsyncIterable<Buffer>)).toString();
    mails.push({ to: session.envelope.rcptTo.map(({ address }) => address), raw, mail: await PostalMime.parse(raw) });
    done();
  },
});
smtp.listen(0, '127.0.0.1');
await once(smtp.server, 'listening');
afterAll(async () => {
  server.close();
  await new Promise<void>((closed) => smtp.close(closed));
});

const consumes = ['notifications.sendEmail', 'notifications.send'];
let now = Date.parse('2026-03-01T10:00:00Z');
const platform = await startAccounts({
  modules: [...(await repositoryModules()), testModule({ alias: 'alerts', consumes })],
  environment: {
    OUTBOUND_ALLOW_HOSTS: '127.0.0.1',
    TWILIO_URL: url,
    MAIL_URL: `smtp://127.0.0.1:${(smtp.server.address() as AddressInfo).port}`,
    MAIL_FROM: 'Chowk <no-reply@chowk.example>',
  },
  now: () => new Date(now),
});

beforeEach(() => {
  received.length = 0;
  answer = accepted;
});

const phone = '+919876543210';
const sid = `AC${'0'.repeat(32)}`;
const token = 'twilio-auth-token-7';

async function shop(provider: 'log' | 'twilio' | 'webhook' = 'log') {
  const tenant = await platform.tenant({ name: 'Chai & Co' });
  const owner = await platform.person({ tenant });
  let secret = '';
  if (provider === 'twilio') {
    const account = { account_sid: sid, auth_token: token, sms_from: '+15005550006', whatsapp_from: '+14155238886' };
    expect(await owner.put('/api/v1/message-providers/twilio', account)).toMatchObject({ status: 200 });
  }
  if (provider === 'webhook') secret = (await owner.put('/api/v1/message-providers/webhook', { url })).body.secret;
  const choice = { 'notifications.sms_provider': provider, 'notifications.whatsapp_provider': provider };
  expect(await owner.patch('/api/v1/settings', choice)).toMatchObject({ status: 200 });
  const { bus } = tenant.context('alerts') as Ctx;
  const text = (fields: object = {}) =>
    bus.call('notifications.send', { channel: 'sms', to: phone, message: 'Your order is here', ...fields });
  return { tenant, owner, secret, bus, text };
}

// biome-ignore lint/suspicious/noExplicitAny: tests read columns of every type
const stored = async (tenant: TestTenant, id: string): Promise<any> =>
  tenant.db.row(sql`SELECT * FROM messages WHERE id = ${id}`);

const settled = (tenant: TestTenant, id: string) =>
  eventually(async () => {
    const message = await stored(tenant, id);
    expect(message.attempts).toBeGreaterThan(0);
    return message;
  });

const attempt = (tenant: TestTenant, id: string, number: number) =>
  messageJobs['notifications.deliver'].run(tenant.context('notifications'), { id, attempt: number });

describe('without a provider', () => {
  test('a text message is a line in the log, without number and text', async () => {
    const info = vi.spyOn(platform.kernel.log, 'info');
    const { tenant, text } = await shop();
    const { id, provider } = await text({ message: 'Your secret order' });
    expect(provider).toBe('log');
    expect(await settled(tenant, id)).toMatchObject({ status: 'sent', provider: 'log' });
    const lines = info.mock.calls.map((call) => JSON.stringify(call)).filter((line) => line.includes('message logged'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toMatch(/secret|98765/);
    info.mockRestore();
  });
});

describe('with Twilio', () => {
  test('an SMS is sent from the number of the tenant', async () => {
    const { tenant, text } = await shop('twilio');
    const { id, provider } = await text();
    expect(provider).toBe('twilio');
    expect(await settled(tenant, id)).toMatchObject({ status: 'sent', provider_message_id: 'SM1234', attempts: 1 });
    const [request] = received as [Received];
    expect(request.url).toBe(`/2010-04-01/Accounts/${sid}/Messages.json`);
    expect(request.headers.authorization).toBe(`Basic ${btoa(`${sid}:${token}`)}`);
    expect(Object.fromEntries(new URLSearchParams(request.body))).toEqual({
      From: '+15005550006',
      To: phone,
      Body: 'Your order is here',
      StatusCallback: `${tenant.context('notifications').tenantUrl}/api/v1/message-providers/twilio/status/${id}`,
    });
  });

  test('a WhatsApp message has WhatsApp addresses, and a messaging service can be the sender', async () => {
    const { tenant, owner, text } = await shop('twilio');
    await settled(tenant, (await text({ channel: 'whatsapp' })).id);
    const service = `MG${'1'.repeat(32)}`;
    await owner.put('/api/v1/message-providers/twilio', { account_sid: sid, sms_from: service });
    await settled(tenant, (await text()).id);
    const failed = await settled(tenant, (await text({ channel: 'whatsapp' })).id);
    expect(failed).toMatchObject({ status: 'failed', reason: 'Twilio is not configured for whatsapp.' });
    expect(received.map(({ body }) => Object.fromEntries(new URLSearchParams(body)))).toMatchObject([
      { From: 'whatsapp:+14155238886', To: `whatsapp:${phone}` },
      { MessagingServiceSid: service, To: phone },
    ]);
  });

  test('a refused message fails at once; the reason has the code but not the number', async () => {
    answer = { status: 400, body: `{"code":21211,"message":"The 'To' number ${phone} is not valid"}`, headers: {} };
    const { tenant, text } = await shop('twilio');
    const message = await settled(tenant, (await text()).id);
    expect(message).toMatchObject({ status: 'failed', attempts: 1, next_attempt_at: null });
    expect(message.reason).toContain('error 21211');
    expect(message.reason).not.toContain('98765');
  });

  test('while Twilio is down the message waits, and it is sent when Twilio is up again', async () => {
    answer = { status: 503, body: 'down', headers: {} };
    const { tenant, text } = await shop('twilio');
    const { id } = await text();
    const waiting = await settled(tenant, id);
    expect(waiting).toMatchObject({ status: 'queued', attempts: 1, reason: 'Twilio answered with the status 503.' });
    expect(Date.parse(waiting.next_attempt_at)).toBe(now + 10_000);
    answer = accepted;
    await attempt(tenant, id, 1);
    expect(await stored(tenant, id)).toMatchObject({ status: 'sent', attempts: 2, reason: null });
    await attempt(tenant, id, 1);
    expect(received).toHaveLength(2);
  });

  test('a limit of Twilio is respected, and after nine hours the message fails', async () => {
    answer = { status: 429, body: '', headers: { 'retry-after': '120' } };
    const { tenant, text } = await shop('twilio');
    const { id } = await text();
    const first = await settled(tenant, id);
    expect(Date.parse(first.next_attempt_at)).toBe(now + 120_000);
    for (let number = 1; number < 7; number += 1) await attempt(tenant, id, number);
    expect(await stored(tenant, id)).toMatchObject({ status: 'failed', attempts: 7 });
    await attempt(tenant, id, 7);
    expect(received).toHaveLength(7);
  });

  test('the token is sealed, never shown and never logged', async () => {
    const logged = [vi.spyOn(platform.kernel.log, 'info'), vi.spyOn(platform.kernel.log, 'warn')];
    answer = { status: 401, body: '{"code":20003}', headers: {} };
    const { tenant, owner, text } = await shop('twilio');
    const message = await settled(tenant, (await text()).id);
    const shown = [
      await owner.get('/api/v1/message-providers'),
      await owner.get('/api/v1/settings'),
      await owner.get('/api/v1/audit'),
      await tenant.db.rows(sql`SELECT * FROM message_providers`),
      message,
      logged.flatMap(({ mock }) => mock.calls),
    ];
    expect(JSON.stringify(shown)).not.toMatch(new RegExp(`${token}|${btoa(`${sid}:${token}`)}`));
    expect((await owner.get('/api/v1/message-providers')).body.twilio).toMatchObject({ account_sid: sid });
    for (const spy of logged) spy.mockRestore();
  });

  test('another account needs its own token', async () => {
    const { owner } = await shop('twilio');
    const account = { account_sid: `AC${'a'.repeat(32)}` };
    const { status, body } = await owner.put('/api/v1/message-providers/twilio', account);
    expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: ['auth_token'] });
  });
});

describe('with a webhook', () => {
  /** The library refuses requests that are older than five minutes by the clock, which is here that of the platform. */
  function verify(secret: string, { headers, body, at }: Received): unknown {
    vi.useFakeTimers({ toFake: ['Date'], now: at });
    try {
      return new Verifier(secret).verify(body, headers as Record<string, string>);
    } finally {
      vi.useRealTimers();
    }
  }

  test('messages are signed as Standard Webhooks; a new secret and the old one are both valid for a day', async () => {
    const { tenant, owner, secret, text } = await shop('webhook');
    const { id } = await text({ channel: 'whatsapp' });
    await settled(tenant, id);
    expect(verify(secret, received[0] as Received)).toEqual({
      type: 'message.send',
      timestamp: new Date(now).toISOString(),
      data: { id, channel: 'whatsapp', to: phone, message: 'Your order is here' },
    });
    const { body } = await owner.post('/api/v1/message-providers/webhook/secret');
    await settled(tenant, (await text()).id);
    expect(verify(secret, received[1] as Received)).toEqual(verify(body.secret, received[1] as Received));
    now += 25 * 3_600_000;
    await settled(tenant, (await text()).id);
    expect(() => verify(secret, received[2] as Received)).toThrow('No matching signature');
    expect(verify(body.secret, received[2] as Received)).toMatchObject({ type: 'message.send' });
  });

  test('its secret is shown once, and it must be a public https address', async () => {
    const { owner, secret } = await shop('webhook');
    expect(secret).toMatch(/^whsec_/);
    expect((await owner.put('/api/v1/message-providers/webhook', { url })).body.secret).toBeNull();
    expect(JSON.stringify((await owner.get('/api/v1/message-providers')).body)).not.toContain('whsec_');
    const { status, body } = await owner.put('/api/v1/message-providers/webhook', { url: 'https://169.254.169.254/' });
    expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: ['url'] });
  });

  test('is configured by several requests at once, and only one of them gets its secret', async () => {
    const tenant = await platform.tenant();
    const owner = await platform.person({ tenant });
    const save = () => owner.put('/api/v1/message-providers/webhook', { url });
    const secrets = (await Promise.all([save(), save(), save(), save()])).map(({ body }) => body.secret);
    const [secret, ...others] = secrets.filter((text) => text !== null);
    expect(others).toEqual([]);
    await owner.patch('/api/v1/settings', { 'notifications.sms_provider': 'webhook' });
    const { bus } = tenant.context('alerts') as Ctx;
    const { id } = await bus.call('notifications.send', { channel: 'sms', to: phone, message: 'Hi' });
    await settled(tenant, id);
    expect(verify(secret, received[0] as Received)).toMatchObject({ data: { message: 'Hi' } });
  });

  test('that cannot be reached is tried again, and a redirect is not followed', async () => {
    const { tenant, owner, text } = await shop('webhook');
    answer = { status: 302, body: '', headers: { location: `${url}/elsewhere` } };
    expect(await settled(tenant, (await text()).id)).toMatchObject({ status: 'failed' });
    expect(received.map((request) => request.url)).toEqual(['/']);
    await owner.put('/api/v1/message-providers/webhook', { url: 'http://127.0.0.1:1/' });
    const reason = 'The host 127.0.0.1:1 cannot be reached: it refused the connection.';
    expect(await settled(tenant, (await text()).id)).toMatchObject({ status: 'queued', reason });
  });

  test('leaves a line in the audit log for each change, without the secret', async () => {
    const { owner } = await shop('webhook');
    await owner.put('/api/v1/message-providers/webhook', { url: `${url}/new` });
    const { audit } = (await owner.get('/api/v1/audit?action=notifications.saveWebhook')).body;
    expect(audit.map(({ changes }: { changes: unknown }) => changes)).toEqual([
      { url: [url, `${url}/new`] },
      { url: [null, url] },
    ]);
  });

  test('after it is deleted, messages fail', async () => {
    const { tenant, owner, text } = await shop('webhook');
    expect(await owner.delete('/api/v1/message-providers/webhook')).toMatchObject({ status: 200 });
    expect(await owner.delete('/api/v1/message-providers/webhook')).toMatchObject({ status: 404 });
    expect(await owner.post('/api/v1/message-providers/webhook/secret')).toMatchObject({ status: 404 });
    expect(await settled(tenant, (await text()).id)).toMatchObject({ status: 'failed' });
  });
});

test('providers are configured only by those who may manage API clients', async () => {
  const tenant = await platform.tenant();
  const manager = await platform.person({ tenant, role: 'Manager' });
  expect(await manager.get('/api/v1/message-providers')).toMatchObject({ status: 403 });
  expect(await manager.put('/api/v1/message-providers/webhook', { url })).toMatchObject({ status: 403 });
});

test('one tenant never sends through the account of another', async () => {
  await shop('twilio');
  const { tenant, owner, text } = await shop();
  await owner.patch('/api/v1/settings', { 'notifications.sms_provider': 'twilio' });
  expect(await settled(tenant, (await text()).id)).toMatchObject({ status: 'failed' });
  expect(received).toEqual([]);
});

describe('an email', () => {
  test('comes from the organization, with its text as text and as escaped HTML', async () => {
    const { tenant, bus } = await shop();
    const to = 'meera@example.com';
    const body = 'Hello <b>Meera</b>,\n\nyour order is on its way.';
    const { id } = await bus.call('notifications.sendEmail', { to, subject: 'Your order', body });
    await settled(tenant, id);
    const { mail } = await eventually(() => mails.find((one) => one.to.includes(to)) ?? expect.fail('no mail'));
    expect({ from: mail.from, subject: mail.subject }).toEqual({
      from: { name: 'Chai & Co', address: 'no-reply@chowk.example' },
      subject: 'Your order',
    });
    expect(mail.text?.trim()).toBe('Hello <b>Meera</b>,\n\nyour order is on its way.\n\n-- \nChai & Co');
    expect(mail.html).toContain('Hello &#60;b&#62;Meera&#60;/b&#62;,');
  });

  test('has no header that a name or a text smuggles in', async () => {
    const tenant = await platform.tenant({ name: 'Tea\r\nBcc: all@example.com\r\n\r\nHi' });
    const ctx = tenant.context('notifications');
    const to = 'header@example.com';
    const subject = 'Your order\r\nBcc: all@example.com';
    await ctx.bus.call('identity.mailCustomer', { message_id: 'a@b', to, subject, text: '.\r\nQUIT\r\n' });
    const mail = await eventually(() => mails.find((one) => one.to.includes(to)) ?? expect.fail('no mail'));
    expect(mail.to).toEqual([to]);
    expect(mail.mail.headers.map(({ key }) => key)).not.toContain('bcc');
    expect(mail.mail.subject).toBe('Your order Bcc: all@example.com');
    expect(mail.mail.text).toContain('QUIT');
  });

  test('that is sent again after a crash has the same id, by which mail programs know it', async () => {
    const { tenant, bus } = await shop();
    const to = 'once@example.com';
    const { id } = await bus.call('notifications.sendEmail', { to, subject: 'Hi', body: 'Hi' });
    await settled(tenant, id);
    // As after a crash between sending the mail and recording it.
    await tenant.db.run(sql`
      UPDATE messages SET status = 'queued', attempts = 0, recipient = ${to}, subject = 'Hi', body = 'Hi' WHERE id = ${id}`);
    await attempt(tenant, id, 0);
    await attempt(tenant, id, 0);
    const ids = mails.filter((mail) => mail.to.includes(to)).map(({ mail }) => mail.messageId);
    expect(ids).toEqual([ids[0], ids[0]]);
  });
});

test('the central queue has neither the number nor the text of a message', async () => {
  answer = { status: 503, body: '', headers: {} };
  const { tenant, text } = await shop('twilio');
  const { id } = await text({ message: 'Quite a secret' });
  await settled(tenant, id);
  const find = () =>
    platform.kernel.central.db.rows(sql`SELECT data FROM pgboss.job WHERE data::text LIKE ${`%${id}%`}`);
  const jobs = await eventually(async () => {
    const rows = await find();
    expect(rows.length).toBeGreaterThan(0);
    return rows;
  });
  expect(JSON.stringify(jobs)).not.toMatch(/secret|98765/);
});

test('a message that belongs to no customer keeps neither number nor text once it is sent', async () => {
  const { tenant, text } = await shop('twilio');
  expect(await settled(tenant, (await text()).id)).toMatchObject({ recipient: null, body: null, status: 'sent' });
});

describe('a message to a customer', () => {
  async function message(mode: 'sent' | 'waiting') {
    if (mode === 'waiting') answer = { status: 503, body: '', headers: {} };
    const { tenant, owner, text } = await shop('twilio');
    const { customer } = (await owner.post('/api/v1/customers', { first_name: 'Meera', phone })).body;
    const { id } = await text({ customer_id: customer.id });
    await settled(tenant, id);
    return { tenant, owner, customer, id };
  }

  test.each(['anonymize', 'hard'])(
    'is deleted with the customer by %s, and a waiting one is never sent',
    async (mode) => {
      const { tenant, owner, customer, id } = await message('waiting');
      await owner.delete(`/api/v1/customers/${customer.id}?mode=${mode}`);
      expect(await tenant.db.rows(sql`SELECT FROM messages`)).toEqual([]);
      answer = accepted;
      await attempt(tenant, id, 1);
      expect(received).toHaveLength(1);
    },
  );

  test('is part of what is exported about the customer', async () => {
    const { owner, customer } = await message('sent');
    const { body } = await owner.get(`/api/v1/customers/${customer.id}/export`);
    expect(JSON.stringify(body)).toContain('Your order is here');
  });

  test('moves to the other customer of a merge', async () => {
    const { tenant, owner, customer, id } = await message('sent');
    const primary = (await owner.post('/api/v1/customers', { first_name: 'Ravi' })).body.customer;
    const merge = { primary_id: primary.id, secondary_id: customer.id };
    expect(await owner.post('/api/v1/customers/merge', merge)).toMatchObject({ status: 200 });
    expect(await stored(tenant, id)).toMatchObject({ customer_id: primary.id });
    const { bus } = tenant.context('alerts') as Ctx;
    const later = { to: 'ravi@example.com', subject: 'Hi', body: 'Hi', customer_id: customer.id };
    const { id: next } = await bus.call('notifications.sendEmail', later);
    expect(await stored(tenant, next)).toMatchObject({ customer_id: primary.id });
  });
});

test('messages are deleted after the days that the tenant has set', async () => {
  const { tenant, owner, text } = await shop();
  await settled(tenant, (await text()).id);
  await owner.patch('/api/v1/settings', { 'notifications.message_retention_days': 30 });
  const prune = () => messageJobs['notifications.prune_messages'].run(tenant.context('notifications'), {});
  now += 29 * 24 * 3_600_000;
  expect(await prune()).toEqual({ deleted: 0 });
  now += 2 * 24 * 3_600_000;
  expect(await prune()).toEqual({ deleted: 1 });
});
