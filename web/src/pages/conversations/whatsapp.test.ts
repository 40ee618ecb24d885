import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../../../server/testing/eventually.ts';
import { receive } from '../../../../server/testing/received-messages.ts';
import { type Console, chromiumPath, heading, inspect, startConsole } from '../../../testing/console.ts';

const url = '/api/v1/conversations';
const templateId = `HX${'a'.repeat(32)}`;
const contents = [
  {
    sid: templateId,
    friendly_name: 'order_ready',
    language: 'en',
    variables: { 1: 'Asha', 2: '1042' },
    types: {
      'twilio/text': { body: 'Hello {{1}}, your order {{2}} is ready.\nReply to this message with questions.' },
    },
    approval_requests: { status: 'approved' },
  },
];

describe.skipIf(!chromiumPath)('conversations over WhatsApp', async () => {
  const sent: URLSearchParams[] = [];
  const twilio = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString();
    if (request.method === 'GET') return response.writeHead(200).end(JSON.stringify({ contents }));
    sent.push(new URLSearchParams(body));
    return response.writeHead(201).end(JSON.stringify({ sid: 'SM1' }));
  }).listen(0, '127.0.0.1');
  await once(twilio, 'listening');
  afterAll(() => void twilio.close());
  let platform: Console;
  beforeAll(async () => {
    const twilioUrl = `http://127.0.0.1:${(twilio.address() as AddressInfo).port}`;
    platform = await startConsole({ environment: { OUTBOUND_ALLOW_HOSTS: '127.0.0.1', TWILIO_URL: twilioUrl } });
    return () => platform.close();
  });

  test('a template is chosen and filled in when free text is not allowed', async () => {
    const acme = await platform.tenant({ name: 'Lakshmi Stores' });
    const asha = await platform.person({ tenant: acme });
    const account = { account_sid: `AC${'0'.repeat(32)}`, auth_token: 'secret', whatsapp_from: '+14155238886' };
    await asha.put('/api/v1/message-providers/twilio', account);
    await asha.patch('/api/v1/settings', { 'notifications.whatsapp_provider': 'twilio' });
    const customer = { first_name: 'Priya', phone: '+919876543210' };
    const { conversation } = (await asha.post(url, { customer, channel: 'whatsapp' })).body;
    const page = await platform.openAs(asha, acme, `/conversations/${conversation.id}`);
    await page.getByText('This reply will only be logged. WhatsApp allows free text only').waitFor();
    await page.getByLabel('Template').selectOption(templateId);
    await page.getByText('only be logged').waitFor({ state: 'detached' });
    const send = page.getByRole('button', { name: 'Send', exact: true });
    expect(await send.isDisabled()).toBe(true);
    await page.getByLabel('{{1}}').fill('Priya');
    await page.getByLabel('{{2}}').fill('1042');
    await page.getByRole('note').getByText('Hello Priya, your order 1042 is ready.').waitFor();
    await inspect(page, 'conversation-template');
    await page.reload();
    expect(await page.getByLabel('{{2}}').inputValue()).toBe('1042');
    await send.click();
    const messages = page.getByRole('log', { name: 'Messages' });
    await messages.getByText('Hello Priya, your order 1042 is ready.').waitFor();
    await eventually(() =>
      expect(Object.fromEntries(sent[0] ?? [])).toMatchObject({
        ContentSid: templateId,
        ContentVariables: JSON.stringify({ 1: 'Priya', 2: '1042' }),
        To: 'whatsapp:+919876543210',
      }),
    );
    await messages.getByText('Sent', { exact: true }).waitFor();

    // Files do not go with a template.
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const file = { name: 'label.png', mimeType: 'image/png', buffer: Buffer.from(png, 'base64') };
    await page.getByLabel('Files to attach').setInputFiles(file);
    await page.getByRole('button', { name: 'Remove label.png' }).waitFor();
    await page.getByLabel('Template').selectOption(templateId);
    await page.getByRole('button', { name: 'Remove label.png' }).waitFor({ state: 'detached' });
    await page.getByLabel('{{1}}').fill('Priya');
    await page.getByLabel('{{2}}').fill('1044');
    await send.click();
    await eventually(() => expect(sent[1]?.get('ContentVariables')).toContain('1044'));

    await page.goto(
      `${platform.origin}/conversations/new?customer_id=${conversation.customer_id}&new_channel=whatsapp`,
    );
    await page.getByLabel('Template').selectOption(templateId);
    await page.getByRole('button', { name: 'Start conversation' }).click();
    await page.getByText('Fill in the variables of the template.').waitFor();
    await page.getByLabel('{{1}}').fill('Priya');
    await page.getByLabel('{{2}}').fill('1043');
    await inspect(page, 'conversation-new-template');
    await page.getByRole('button', { name: 'Start conversation' }).click();
    await heading(page, 'Priya').waitFor();
    await eventually(() => expect(sent[2]?.get('ContentSid')).toBe(templateId));

    // A message of the customer opens the window.
    const contact = '+919876543210';
    await receive(acme, { channel: 'whatsapp', contact, customer: { phone: contact }, body: 'Thank you!' });
    await messages.getByText('Thank you!').waitFor();
    await page.getByLabel('Template').waitFor({ state: 'detached' });
    await page.getByRole('textbox', { name: 'Reply' }).fill('See you soon.');
    await send.click();
    await eventually(() => expect(sent[3]?.get('Body')).toBe('See you soon.'));
  });
});
