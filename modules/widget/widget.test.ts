import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { sql } from '@chowk/kit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startAccounts } from '../../server/testing/accounts.ts';
import { startCustomerMails } from '../../server/testing/customer-mails.ts';
import { type FormPart, filePart, formBody, formHeaders, textPart } from '../../server/testing/form-body.ts';
import type { TestResponse } from '../../server/testing/platform.ts';
import { RealtimeClient, subscribe } from '../../server/testing/realtime-client.ts';
import { receive } from '../../server/testing/received-messages.ts';
import { visitorJobs } from '../conversations/visitors.ts';

const shop = 'https://shop.example.com';
let now = Date.now();
const mails = await startCustomerMails();
afterAll(() => mails.close());
const platform = await startAccounts({
  environment: { RATE_LIMIT_PER_MINUTE: '0', MAIL_URL: mails.url },
  now: () => new Date(now),
});
const tenant = await platform.tenant({ name: 'Chai & Co' });
const owner = await platform.person({ tenant, name: 'Asha Rao' });
const conversations = '/api/v1/conversations';
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Each visitor is in a network of their own. */
let networks = 0;
const newNetwork = () => `10.${Math.floor(++networks / 65_536)}.${Math.floor(networks / 256) % 256}.${networks % 256}`;
let network = newNetwork();

beforeEach(async () => {
  network = newNetwork();
  await owner.patch('/api/v1/settings', { 'widget.enabled': true, 'widget.allowed_origins': [shop] });
});

const from = (origin: string | undefined) => ({ 'x-tenant': tenant.id, ...(origin !== undefined && { origin }) });

function call(path: string, fields: object, origin: string | undefined = shop): Promise<TestResponse> {
  const headers = { ...from(origin), 'content-type': 'application/x-www-form-urlencoded' };
  const payload = new URLSearchParams(Object.entries(fields)).toString();
  return platform.request({ method: 'POST', url: `/api/v1/widget/${path}`, headers, payload, remoteAddress: network });
}

function send(fields: Record<string, string>, ...files: FormPart[]): Promise<TestResponse> {
  const all = { id: randomUUID(), ...fields };
  const payload = formBody([...Object.entries(all).map(([name, text]) => textPart(name, text)), ...files]);
  const headers = { ...from(shop), ...formHeaders };
  return platform.request({ method: 'POST', url: '/api/v1/widget/messages', headers, payload, remoteAddress: network });
}

async function start(fields: object = {}): Promise<{ token: string; channel: string }> {
  const { status, body } = await call('sessions', fields);
  expect({ status, body }).toMatchObject({ status: 201 });
  return body.session;
}

const texts = async (token: string, after?: string) => {
  const { status, body } = await call('updates', { token, ...(after && { after }) });
  expect(status).toBe(200);
  return body.messages.map(({ body }: { body: string }) => body);
};
const latest = async () => {
  const [{ id }] = (await owner.get(conversations)).body.conversations;
  return (await owner.get(`${conversations}/${id}`)).body.conversation;
};
const reply = async (id: string, body: string, fields: object = {}) =>
  (await owner.post(`${conversations}/${id}/messages`, { body, ...fields })).body.conversation_message;
const show = async (id: string) => (await owner.get(`${conversations}/${id}`)).body.conversation;

const config = (origin?: string) =>
  platform.request({ method: 'GET', url: '/api/v1/widget/config', headers: from(origin) });

describe('pages', () => {
  test('of the shop get the settings of the chat, those of other origins are refused', async () => {
    const allowed = await config(shop);
    expect(allowed).toMatchObject({ status: 200, body: { name: 'Chai & Co', color: '#1d4ed8', ask_for_email: false } });
    expect(allowed.headers).toMatchObject({
      'access-control-allow-origin': shop,
      vary: expect.stringContaining('Origin'),
    });
    for (const origin of ['https://evil.example', 'http://shop.example.com', 'https://shop.example.com.evil', 'null']) {
      const refused = await config(origin);
      expect(refused).toMatchObject({ status: 403, body: { code: 'http.origin_forbidden' } });
      expect(refused.headers).not.toHaveProperty('access-control-allow-origin');
    }
  });

  test('learn whether the team is there, by the opening hours of the conversations', async () => {
    expect((await config(shop)).body).toMatchObject({ is_open: true });
    const day = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'][(new Date().getUTCDay() + 3) % 7];
    const settings = { 'conversations.opening_hours': [{ days: [day], from: '09:00', to: '17:00' }] };
    expect((await owner.patch('/api/v1/settings', settings)).status).toBe(200);
    expect((await config(shop)).body).toMatchObject({ is_open: false });
    await owner.patch('/api/v1/settings', { 'conversations.opening_hours': [] });
  });

  test('must name their origin to change anything', async () => {
    const headers = { 'x-tenant': tenant.id, 'content-type': 'application/x-www-form-urlencoded' };
    const url = '/api/v1/widget/sessions';
    expect(await platform.request({ method: 'POST', url, headers, payload: 'email=' })).toMatchObject({ status: 403 });
  });

  test('get nothing while the chat is switched off', async () => {
    const { token } = await start();
    await owner.patch('/api/v1/settings', { 'widget.enabled': false });
    for (const response of [await config(shop), await call('sessions', {}), await call('updates', { token })]) {
      expect(response).toMatchObject({ status: 404, body: { code: 'widget.disabled' } });
    }
  });

  test('load the script from everywhere', async () => {
    const { status, headers } = await platform.request({ url: '/widget.js', headers: { 'x-tenant': tenant.id } });
    expect({ status, headers }).toMatchObject({
      status: 200,
      headers: {
        'content-type': 'text/javascript; charset=utf-8',
        'cross-origin-resource-policy': 'cross-origin',
        'cache-control': 'public, max-age=300',
      },
    });
  });
});

describe('a visitor', () => {
  test('writes to the team and gets the answers', async () => {
    const { token } = await start();
    expect(await send({ token, body: 'Do you ship to Pune?' })).toMatchObject({ status: 201 });
    const conversation = await latest();
    expect(conversation).toMatchObject({
      channel: 'webchat',
      subject: 'Chat',
      customer: { first_name: 'Visitor', email: null },
      reply_delivery: { is_sent: true },
    });
    await reply(conversation.id, 'The visitor seems nice.', { direction: 'note' });
    await reply(conversation.id, 'Told on the phone.', { log_only: true });
    expect(await reply(conversation.id, 'Yes, in two days.')).toMatchObject({ delivery_status: 'sent' });
    const { body } = await call('updates', { token });
    expect(body.messages).toMatchObject([
      { direction: 'inbound', body: 'Do you ship to Pune?', author: null },
      { direction: 'outbound', body: 'Yes, in two days.', author: 'Asha' },
    ]);
    expect(JSON.stringify(body)).not.toMatch(/example\.com|user_id|nice|phone/);
    expect((await show(conversation.id)).messages[0]).toMatchObject({ delivery_status: 'delivered' });
    const [question, answer] = body.messages;
    expect(await texts(token, question.id)).toEqual(['Yes, in two days.']);
    expect(await texts(token, answer.id)).toEqual([]);
    await call('seen', { token, message_id: answer.id });
    expect((await show(conversation.id)).messages[0]).toMatchObject({ delivery_status: 'read' });
  });

  test('sees only their own conversation, even with another person’s address', async () => {
    const email = `${randomUUID()}@example.com`;
    const victim = await start({ email });
    await send({ token: victim.token, body: 'My card ends in 4242' });
    const first = await latest();
    network = newNetwork();
    const stranger = await start({ email });
    await send({ token: stranger.token, body: 'Hello' });
    const second = await latest();
    expect(second.id).not.toBe(first.id);
    expect(second).toMatchObject({ subject: 'Chat (address not verified)', customer: { email } });
    expect(await texts(stranger.token)).toEqual(['Hello']);
    // Receipts and cursors of another conversation change and show nothing.
    const answer = await reply(first.id, 'Thank you');
    await call('seen', { token: stranger.token, message_id: answer.id });
    expect((await show(first.id)).messages[0]).toMatchObject({ delivery_status: 'sent' });
    expect(await texts(stranger.token, answer.id)).toEqual(['Hello']);
  });

  test('does not see what the customer writes by mail', async () => {
    const email = `${randomUUID()}@example.com`;
    const { token } = await start({ email });
    await send({ token, body: 'Hello' });
    const { id: conversation_id } = await latest();
    await receive(tenant, { contact: email, conversation_id, body: 'My new address is Lake Road 5' });
    expect((await show(conversation_id)).message_count).toBe(2);
    expect(await texts(token)).toEqual(['Hello']);
  });

  test('sends a message once, however often the page repeats it', async () => {
    const { token } = await start();
    const id = randomUUID();
    const [one, ...others] = await Promise.all([1, 2, 3].map(() => send({ token, id, body: 'Hello' })));
    for (const other of others) expect(other.body).toEqual(one?.body);
    expect(await latest()).toMatchObject({ message_count: 1 });
  });

  test('begins one conversation with messages that are sent at the same time', async () => {
    const { token } = await start();
    await Promise.all(['one', 'two', 'three'].map((body) => send({ token, body })));
    expect(await latest()).toMatchObject({ message_count: 3 });
  });

  test('sends pictures, which the team and the visitor can download', async () => {
    const { token } = await start();
    expect(await send({ token, body: '' }, filePart(png, '../../cup.png'))).toMatchObject({ status: 201 });
    const { body } = await call('updates', { token });
    expect(body.messages).toMatchObject([{ body: '', attachments: [{ file_name: 'cup.png', size: png.length }] }]);
    const { pathname, search } = new URL(body.messages[0].attachments[0].url);
    expect(await platform.request({ url: pathname + search })).toMatchObject({ status: 200 });
    expect((await latest()).messages[0].attachments).toMatchObject([{ file_name: 'cup.png', type: 'image/png' }]);
  });

  test.each([
    ['without text', { body: ' \n' }, []],
    ['that is too long', { body: 'a'.repeat(4_001) }, []],
    ['with a wrong address', { body: 'Hello', email: 'nobody' }, []],
    ['with a file of another type', { body: 'Hello' }, [filePart('<script>alert(1)</script>', 'a.png')]],
  ])('gets a clear error for a message %s', async (_, fields, files) => {
    const { token } = await start();
    const { status, body } = await send({ token, ...fields }, ...files);
    expect([415, 422]).toContain(status);
    expect(body.message).toMatch(/\w/);
  });

  test('who comes back after the conversation was deleted begins a new one', async () => {
    const { token } = await start();
    await send({ token, body: 'Hello' });
    await owner.delete(`${conversations}/${(await latest()).id}`);
    expect(await texts(token)).toEqual([]);
    await send({ token, body: 'Hello again' });
    expect(await texts(token)).toEqual(['Hello again']);
  });

  test('is forgotten with the customer', async () => {
    const email = `${randomUUID()}@example.com`;
    const { token } = await start({ email });
    await send({ token, body: 'Hello' });
    await owner.delete(`/api/v1/customers/${(await latest()).customer_id}?mode=anonymize`);
    expect(await call('updates', { token })).toMatchObject({ status: 403 });
  });

  test('has a session for 30 days after the last visit; the database has only a hash of its token', async () => {
    const { token } = await start();
    const rows = await tenant.context('widget').db.rows(sql`SELECT * FROM widget_sessions`);
    expect(JSON.stringify(rows)).not.toContain(token);
    try {
      now += 29 * 24 * 3_600_000;
      expect(await texts(token)).toEqual([]);
      now += 29 * 24 * 3_600_000;
      expect(await texts(token)).toEqual([]);
      now += 31 * 24 * 3_600_000;
      expect(await call('updates', { token })).toMatchObject({ status: 403, body: { code: 'widget.unknown_session' } });
    } finally {
      now = Date.now();
    }
  });
});

describe('a visitor who has left', () => {
  const email = () => `${randomUUID()}@example.com`;
  const mailUnseen = visitorJobs['conversations.mail_unseen'];
  const leave = async () => {
    await tenant.context('widget').db.run(sql`UPDATE widget_sessions SET last_seen_at = now() - interval '2 minutes'`);
  };

  test('gets the answer by mail', async () => {
    const address = email();
    const { token } = await start();
    await send({ token, body: 'Hello', email: address });
    const { id } = await latest();
    await leave();
    expect(await reply(id, 'It is on its way.')).toMatchObject({ delivery_status: 'queued', delivery_reason: null });
    expect((await mails.find('It is on its way.')).to).toMatchObject([{ address }]);
    expect(await texts(token)).toEqual(['Hello', 'It is on its way.']);
  });

  test('before reading the answer gets it by mail, one who has got it does not', async () => {
    const address = email();
    const { token } = await start({ email: address });
    await send({ token, body: 'Hello' });
    const { id } = await latest();
    const { id: read } = await reply(id, 'Read in the chat');
    await texts(token);
    const { id: unread } = await reply(id, 'Not read');
    await leave();
    const ctx = tenant.context('conversations');
    for (const message_id of [read, unread, unread]) await mailUnseen.run(ctx as never, { message_id } as never);
    expect((await mails.find('Not read')).to).toMatchObject([{ address }]);
    const { messages } = await show(id);
    expect(messages.map(({ delivery_status }: { delivery_status: string }) => delivery_status)).toContain('delivered');
    const mailed = await tenant
      .context('notifications')
      .db.rows(sql`SELECT id FROM messages WHERE id = ANY(${[read, unread]}::uuid[])`);
    expect(mailed).toEqual([{ id: unread }]);
  });

  test('without an address sees the answer on the next visit, and the team knows', async () => {
    const { token } = await start();
    await send({ token, body: 'Hello' });
    const { id } = await latest();
    expect((await show(id)).reply_delivery).toMatchObject({ is_sent: true, reason: null, notice: null });
    await leave();
    const reason = expect.stringContaining('on the next visit');
    expect((await show(id)).reply_delivery).toMatchObject({ is_sent: true, reason: null, notice: reason });
    expect(await reply(id, 'Here we are')).toMatchObject({ delivery_status: 'queued', delivery_reason: reason });
    expect(await texts(token)).toEqual(['Hello', 'Here we are']);
    expect((await show(id)).messages[0]).toMatchObject({ delivery_status: 'delivered', delivery_reason: null });
  });
});

describe('an identity token', () => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const sign = (secret: string, claims: object, header: object = { alg: 'HS256', typ: 'JWT' }) => {
    const text = `${part(header)}.${part(claims)}`;
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
  };
  const claims = (fields: object = {}) => ({
    sub: randomUUID(),
    email: `${randomUUID()}@example.com`,
    name: 'Meera',
    exp: now / 1_000 + 600,
    ...fields,
  });
  const newSecret = async (): Promise<string> => (await owner.post('/api/v1/widget/identity-secret')).body.secret;

  test('proves who the visitor is, and continues the conversation on another device', async () => {
    const secret = await newSecret();
    expect((await owner.get('/api/v1/widget/setup')).body.setup).toEqual({
      script_url: expect.stringMatching(new RegExp(`//${tenant.id}\\..+/widget\\.js$`)),
      secret_created_at: expect.any(String),
    });
    const meera = claims({ email: `Meera.${randomUUID()}@Example.com` });
    const { token } = await start({ identity: sign(secret, meera) });
    await send({ token, body: 'Hello', email: 'other@example.com' });
    expect(await latest()).toMatchObject({
      subject: 'Chat',
      customer: { first_name: 'Meera', email: meera.email.toLowerCase() },
    });
    const phone = await start({ identity: sign(secret, meera) });
    expect(await texts(phone.token)).toEqual(['Hello']);
    const other = await start({ identity: sign(secret, claims({ email: meera.email })) });
    expect(await texts(other.token)).toEqual([]);
  });

  test('is refused with the reason if anything about it is wrong', async () => {
    const old = await newSecret();
    const secret = await newSecret();
    const good = sign(secret, claims());
    const unsigned = `${part({ alg: 'none' })}.${part(claims())}.`;
    const wrong = {
      'another secret': sign('secret', claims()),
      'a replaced secret': sign(old, claims()),
      'no algorithm': unsigned,
      'another algorithm': sign(secret, claims(), { alg: 'HS512' }),
      'no signature': good.split('.').slice(0, 2).join('.'),
      'a changed payload': good.replace(/\.[^.]+\./, `.${part(claims())}.`),
      'a part too many': `${good}.a`,
      'no expiry': sign(secret, claims({ exp: undefined })),
      'an expiry in the past': sign(secret, claims({ exp: now / 1_000 - 120 })),
      'no subject': sign(secret, claims({ sub: undefined })),
      'a wrong address': sign(secret, claims({ email: 'nobody' })),
      'no content': '',
    };
    for (const [name, identity] of Object.entries(wrong)) {
      const { status, body } = await call('sessions', { identity });
      expect({ name, status, body }).toMatchObject({ name, status: 403, body: { code: 'widget.bad_identity' } });
    }
    expect(await call('sessions', { identity: good })).toMatchObject({ status: 201 });
    await owner.delete('/api/v1/widget/identity-secret');
    expect(await call('sessions', { identity: good })).toMatchObject({ status: 403 });
  });

  test('needs a secret that only few may create, and that is not stored as it is', async () => {
    const agent = await platform.person({ tenant, role: 'Agent' });
    expect(await agent.post('/api/v1/widget/identity-secret')).toMatchObject({ status: 403 });
    const secret = await newSecret();
    const rows = await tenant.context('widget').db.rows(sql`SELECT * FROM widget_secrets`);
    expect(JSON.stringify(rows)).not.toContain(secret);
  });
});

describe('typing', () => {
  const path = `/app/${platform.kernel.realtime.key}?protocol=7&client=test&version=1`;
  beforeAll(async () => {
    await platform.app.listen({ host: '127.0.0.1', port: 0 });
  });
  const openSocket = async () => {
    const client = new RealtimeClient(platform.app, path, { 'x-tenant': tenant.id });
    return { client, id: await client.socketId() };
  };

  test('of a member is shown to the visitor, but not while it is a note', async () => {
    const { token, channel } = await start();
    await send({ token, body: 'Hello' });
    const { id } = await latest();
    const { client } = await openSocket();
    client.send('pusher:subscribe', { channel });
    await client.next('pusher_internal:subscription_succeeded');
    expect(await owner.post(`${conversations}/${id}/typing`, { is_note: true })).toMatchObject({ status: 200 });
    expect(await owner.post(`${conversations}/${id}/typing`)).toMatchObject({ status: 200 });
    expect((await client.next('typing')).data).toEqual({ tenant_id: tenant.id, author: 'Asha' });
    await client.flush();
    expect(client.frames.filter(({ event }) => event === 'typing')).toEqual([]);
  });

  test('of the visitor is shown to members who have the conversation open', async () => {
    const { token } = await start();
    expect(await call('typing', { token })).toMatchObject({ status: 200 });
    await send({ token, body: 'Hello' });
    const { id } = await latest();
    const { client, id: socketId } = await openSocket();
    await subscribe(client, owner, socketId, `presence-conversations.${id}`);
    expect(await call('typing', { token })).toMatchObject({ status: 200 });
    expect((await client.next('widget.typing')).data).toEqual({ tenant_id: tenant.id, conversation_id: id });
  });
});

describe('limits', () => {
  test('a network starts at most 20 sessions in an hour', async () => {
    const responses = await Promise.all(Array.from({ length: 20 }, () => call('sessions', {})));
    expect(responses.every(({ status }) => status === 201)).toBe(true);
    now += 121_000;
    const refused = await call('sessions', {});
    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '3600' } });
    now += 3_600_000;
    expect(await call('sessions', {})).toMatchObject({ status: 201 });
    now = Date.now();
  });

  test('a session sends at most 20 messages in a minute', async () => {
    const { token } = await start();
    for (let count = 0; count < 20; count++) expect((await send({ token, body: 'Hello' })).status).toBe(201);
    network = newNetwork();
    expect(await send({ token, body: 'Hello' })).toMatchObject({
      status: 429,
      body: { code: 'widget.too_many_messages' },
    });
    now += 61_000;
    expect(await send({ token, body: 'Hello' })).toMatchObject({ status: 201 });
    now = Date.now();
  });
});

test('1,000 hostile requests reach nothing and break nothing', async () => {
  const { token } = await start();
  await send({ token, body: 'Private' });
  const { id, messages } = await latest();
  const before = (await owner.get(conversations)).body.pagination.total;
  const forge = () => [
    randomBytes(32).toString('base64url'),
    `${token}x`,
    token.slice(1),
    id,
    messages[0].id,
    '',
    '\u0000',
    `' OR 1=1 --`,
    'a'.repeat(5_000),
  ];
  const origins = ['https://evil.example', 'null', `${shop}.evil.example`, `${shop}:444`, 'javascript:alert(1)', '*'];
  const paths = ['updates', 'seen', 'typing', 'messages', 'sessions', 'config'];
  let count = 0;
  while (count < 1_000) {
    for (const forged of forge()) {
      const path = paths[count % paths.length] as string;
      const isForeign = count % 2 === 0 || path === 'sessions' || path === 'config';
      const origin = isForeign ? origins[count % origins.length] : shop;
      const stolen = isForeign ? token : forged;
      network = newNetwork();
      const response = await (path === 'config'
        ? config(origin)
        : path === 'messages' && !isForeign
          ? send({ token: stolen, body: 'Hello' })
          : call(path, { token: stolen, message_id: messages[0].id, after: forged }, origin as string));
      count += 1;
      expect({ path, origin, forged, status: response.status }).toMatchObject({ status: expect.toSatisfy(isRefusal) });
      expect(JSON.stringify(response.body)).not.toContain('Private');
      if (isForeign) expect(response.headers).not.toHaveProperty('access-control-allow-origin');
    }
  }
  expect((await owner.get(conversations)).body.pagination.total).toBe(before);
  expect(await texts(token)).toEqual(['Private']);
});

const isRefusal = (status: number) => status >= 400 && status < 500;

test('the script has less than 20 KB compressed', async () => {
  const headers = { 'x-tenant': tenant.id, 'accept-encoding': 'gzip' };
  const { headers: sent, rawPayload } = await platform.app.inject({ url: '/widget.js', headers });
  expect(sent['content-encoding']).toBe('gzip');
  expect(rawPayload.length).toBeGreaterThan(3_000);
  expect(rawPayload.length).toBeLessThan(20_000);
});
