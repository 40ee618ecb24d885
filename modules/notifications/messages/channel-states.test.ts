import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { startAccounts } from '../../../server/testing/accounts.ts';
import { startCustomerMails } from '../../../server/testing/customer-mails.ts';

const requests: { method: string | undefined; url: string | undefined; body: URLSearchParams }[] = [];
let answer: { status: number; body: unknown } = { status: 201, body: { sid: 'SM1' } };
const twilio = createServer(async (request, response) => {
  const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString();
  requests.push({ method: request.method, url: request.url, body: new URLSearchParams(body) });
  response.writeHead(answer.status).end(JSON.stringify(answer.body));
}).listen(0, '127.0.0.1');
await once(twilio, 'listening');
afterAll(() => void twilio.close());

const mails = await startCustomerMails();
afterAll(() => mails.close());

const environment = {
  OUTBOUND_ALLOW_HOSTS: '127.0.0.1',
  TWILIO_URL: `http://127.0.0.1:${(twilio.address() as AddressInfo).port}`,
  MAIL_FROM: 'Chowk <no-reply@chowk.example>',
};
const platform = await startAccounts({ environment: { ...environment, MAIL_URL: mails.url } });
const url = '/api/v1/message-providers';
const account = { account_sid: `AC${'0'.repeat(32)}`, auth_token: 'twilio-auth-token-7', sms_from: '+15005550006' };
const phone = '+919876543210';

async function shop(on = platform) {
  const tenant = await on.tenant({ name: 'Chai & Co' });
  const owner = await on.person({ tenant });
  const use = (provider: string) =>
    owner.patch('/api/v1/settings', {
      'notifications.sms_provider': provider,
      'notifications.whatsapp_provider': provider,
    });
  const channels = async () => (await owner.get(url)).body.channels;
  const send = async (channel: string, to: string) => (await owner.post(`${url}/test`, { channel, to })).body;
  return { tenant, owner, use, channels, send };
}

test('each channel has its sender, or says why nothing is sent', async () => {
  const { tenant, owner, use, channels } = await shop();
  const notSetUp = 'is not set up: the organization has chosen no provider.';
  expect(await channels()).toEqual([
    { channel: 'email', provider: 'mail', sender: 'Chai & Co <no-reply@chowk.example>', obstacle: null },
    { channel: 'sms', provider: 'log', sender: null, obstacle: `SMS ${notSetUp}` },
    { channel: 'whatsapp', provider: 'log', sender: null, obstacle: `WhatsApp ${notSetUp}` },
  ]);
  await owner.put(`${url}/twilio`, account);
  await use('twilio');
  const [, sms, whatsapp] = await channels();
  expect(sms).toMatchObject({ provider: 'twilio', sender: account.sms_from, obstacle: null });
  expect(whatsapp).toMatchObject({ obstacle: 'WhatsApp is not set up: the account at Twilio has no sender for it.' });
  await use('webhook');
  expect((await channels())[1]).toMatchObject({
    obstacle: 'SMS is not set up: there is no address of your own server.',
  });
  const { tenantUrl } = tenant.context('notifications');
  expect((await owner.get(url)).body).toMatchObject({
    twilio_callback_url: `${tenantUrl}/api/v1/message-providers/twilio/inbound`,
    webhook_callback_url: `${tenantUrl}/api/v1/message-providers/webhook/inbound`,
  });
});

test('without a mail server a test mail is reported as not sent', async () => {
  const { owner, channels, send } = await shop(await startAccounts({ environment, sharedWith: platform }));
  const obstacle = 'No mail server is configured: the operator of the platform must set MAIL_URL.';
  expect((await channels())[0]).toMatchObject({ channel: 'email', provider: 'log', obstacle });
  expect(await send('email', owner.email)).toEqual({ is_sent: false, reason: obstacle });
});

test('a test message is sent at once, and says why it is not', async () => {
  const { owner, use, send } = await shop();
  requests.length = 0;
  expect(await send('sms', phone)).toMatchObject({ is_sent: false, reason: expect.stringContaining('not set up') });
  await owner.put(`${url}/twilio`, account);
  await use('twilio');
  expect(requests).toHaveLength(0);
  expect(await send('sms', phone)).toMatchObject({ is_sent: true, reason: null });
  expect(Object.fromEntries(requests[0]?.body ?? [])).toMatchObject({
    From: account.sms_from,
    To: phone,
    Body: 'This is a test message of Chai & Co.',
  });
  answer = { status: 400, body: { code: 21211 } };
  expect(await send('sms', phone)).toMatchObject({ is_sent: false, reason: expect.stringContaining('21211') });
  answer = { status: 201, body: { sid: 'SM1' } };
  expect(await send('email', owner.email)).toMatchObject({ is_sent: true });
  expect((await mails.find('This is a test message')).to).toMatchObject([{ address: owner.email }]);
  const wrong = await owner.post(`${url}/test`, { channel: 'email', to: phone });
  expect(wrong).toMatchObject({ status: 422, body: { errors: { to: expect.anything() } } });
});

test('only templates that WhatsApp has approved can be chosen', async () => {
  const { tenant, owner } = await shop();
  const templates = async () => (await owner.get('/api/v1/conversations/templates')).body;
  expect(await templates()).toEqual({ templates: [], reason: 'Twilio is not set up.' });
  await owner.put(`${url}/twilio`, account);
  const id = `HX${'a'.repeat(32)}`;
  const content = {
    sid: id,
    friendly_name: 'order_ready',
    language: 'en',
    variables: { 1: 'Asha' },
    types: { 'twilio/media': { media: [] }, 'twilio/text': { body: 'Hello {{1}}, order {{2}} is ready.' } },
    approval_requests: { status: 'approved' },
  };
  const waiting = { ...content, sid: `HX${'b'.repeat(32)}`, approval_requests: { status: 'pending' } };
  answer = { status: 200, body: { contents: [content, waiting, { sid: 'HX1' }, null, { ...content, types: null }] } };
  requests.length = 0;
  expect(await templates()).toEqual({
    templates: [
      {
        id,
        name: 'order_ready',
        language: 'en',
        body: 'Hello {{1}}, order {{2}} is ready.',
        variables: [
          { name: '1', example: 'Asha' },
          { name: '2', example: '' },
        ],
      },
    ],
    reason: null,
  });
  expect(requests[0]).toMatchObject({ method: 'GET', url: '/v1/ContentAndApprovals?PageSize=200' });
  answer = { status: 401, body: {} };
  expect(await templates()).toEqual({ templates: [], reason: 'Twilio answered with the status 401.' });
  answer = { status: 201, body: { sid: 'SM1' } };
  const viewer = await platform.person({ tenant, role: 'Viewer' });
  expect(await viewer.get('/api/v1/conversations/templates')).toMatchObject({ status: 403 });
});
