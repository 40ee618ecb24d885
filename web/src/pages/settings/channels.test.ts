import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startCustomerMails } from '../../../../server/testing/customer-mails.ts';
import { eventually } from '../../../../server/testing/eventually.ts';
import { hasImapServer, imapPassword, startImapServer } from '../../../../server/testing/imap-server.ts';
import { type Console, chromiumPath, heading, inspect, startConsole } from '../../../testing/console.ts';

describe.skipIf(!chromiumPath)('settings of channels', async () => {
  const texts: URLSearchParams[] = [];
  let status = 201;
  const twilio = createServer(async (request, response) => {
    texts.push(new URLSearchParams(Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString()));
    response.writeHead(status).end(JSON.stringify(status === 201 ? { sid: 'SM1' } : { code: 21211 }));
  }).listen(0, '127.0.0.1');
  await once(twilio, 'listening');
  afterAll(() => void twilio.close());
  const twilioUrl = `http://127.0.0.1:${(twilio.address() as AddressInfo).port}`;
  const mails = await startCustomerMails();
  afterAll(() => mails.close());
  let platform: Console;
  beforeAll(async () => {
    platform = await startConsole({
      environment: {
        MAIL_URL: mails.url,
        OUTBOUND_ALLOW_HOSTS: '127.0.0.1',
        TWILIO_URL: twilioUrl,
        MAIL_FROM: 'Chowk <hello@chowk.example>',
      },
    });
    return () => platform.close();
  });

  async function openShop() {
    const acme = await platform.tenant({ name: 'Lakshmi Stores' });
    const asha = await platform.person({ tenant: acme });
    const page = await platform.openAs(asha, acme, '/settings/channels');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await heading(page, 'Channels').waitFor();
    return { acme, asha, page };
  }
  const copied = (page: Page) => page.evaluate('navigator.clipboard.readText()');

  test('Twilio is set up with the address to copy, tested, and its token never shown again', async () => {
    const { acme, asha, page } = await openShop();
    await page.getByText('Lakshmi Stores <hello@chowk.example>').waitFor();
    await page.getByText('replies by SMS are kept in their conversation').waitFor();
    await page.getByRole('button', { name: 'Send a test by Email' }).click();
    await page.getByText(`The mail server has accepted the message to ${asha.email}.`).waitFor();

    await page.getByRole('button', { name: 'Set up Twilio' }).click();
    await page.getByRole('button', { name: 'Copy address' }).click();
    await eventually(async () =>
      expect(await copied(page)).toMatch(new RegExp(`//${acme.id}\\..*/message-providers/twilio/inbound$`)),
    );
    await page.getByLabel('Account SID').fill('AC12');
    await page.getByLabel('SMS from').fill('four');
    await page.getByRole('button', { name: 'Save account' }).click();
    await eventually(async () => expect(await page.locator('[aria-invalid=true]').count()).toBe(2));
    await inspect(page, 'settings-channels-errors');
    await page.getByLabel('Account SID').fill(`AC${'0'.repeat(32)}`);
    await page.getByLabel('SMS from').fill('+15005550006');
    await page.getByRole('button', { name: 'Save account' }).click();
    await page.getByText('The auth token of this account is required.').waitFor();
    await page.getByLabel('Auth token').fill('twilio-auth-token-7');
    await page.getByRole('button', { name: 'Save account' }).click();
    await page.getByText('Twilio account saved.').waitFor();
    const { settings } = (await asha.get('/api/v1/settings')).body;
    expect(settings).toMatchObject({
      'notifications.sms_provider': 'twilio',
      'notifications.whatsapp_provider': 'log',
    });

    const send = page.getByRole('button', { name: 'Send a test by SMS' });
    await page.getByLabel('Send a test by SMS to').fill('+919876543210');
    await send.click();
    await page.getByText('Twilio has accepted the message to +919876543210.').waitFor();
    expect(texts.at(-1)?.get('To')).toBe('+919876543210');
    status = 400;
    await send.click();
    await page.getByText(/The message was not sent\..*21211/).waitFor();
    status = 201;
    await page.getByLabel('Who sends WhatsApp messages').selectOption('twilio');
    await page.getByText('WhatsApp is not set up: the account at Twilio has no sender for it.').waitFor();
    await inspect(page, 'settings-channels');
    await page.getByRole('region', { name: 'Twilio' }).getByRole('button', { name: 'Change' }).click();
    await page.getByText('Saved, and not shown again.').waitFor();
    expect(await page.content()).not.toContain('twilio-auth-token-7');
    await page.keyboard.press('Escape');
    await page.getByRole('region', { name: 'Twilio' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete account' }).click();
    await page.getByRole('button', { name: 'Set up Twilio' }).waitFor();
  });

  test('the secret of a server of one’s own is shown once, and those who may not manage keys see which permission is missing', async () => {
    const { acme, asha, page } = await openShop();
    await page.getByRole('button', { name: 'Set up a server' }).click();
    await page.getByLabel('Address of your server').fill('ftp://example.com');
    await page.getByRole('button', { name: 'Save address' }).click();
    await page.locator('[aria-invalid=true]').waitFor();
    await page.getByLabel('Address of your server').fill(twilioUrl);
    await page.getByRole('button', { name: 'Save address' }).click();
    await page.getByText('Copy the secret now.').waitFor();
    await page.getByRole('button', { name: 'Copy secret' }).click();
    await eventually(async () => expect(await copied(page)).toMatch(/^whsec_/));
    const secret = String(await copied(page));
    await inspect(page, 'settings-channels-secret');
    await page.reload();
    await page.getByText(twilioUrl).waitFor();
    expect(await page.content()).not.toContain(secret);
    await page.getByLabel('Who sends SMS messages').selectOption('webhook');
    await page.getByText('SMS messages go over your own server from now on.').waitFor();
    expect((await asha.get('/api/v1/settings')).body.settings['notifications.sms_provider']).toBe('webhook');
    await page.getByRole('button', { name: 'Replace the secret' }).click();
    await page.getByText('Copy the secret now.').waitFor();

    const vikram = await platform.person({ tenant: acme, role: 'Viewer' });
    await platform.continueAs(page, vikram, acme);
    await page.reload();
    await page.getByText('settings.api_clients').waitFor();
    await page.getByRole('link', { name: 'Settings', exact: true }).first().click();
    await page.getByRole('link', { name: 'Opening hours and assignment' }).waitFor();
    expect(await page.getByRole('main').getByRole('link', { name: 'Channels' }).count()).toBe(0);
  });

  test.skipIf(!hasImapServer)(
    'a mailbox is tested, saved without showing its password again, and removed',
    async () => {
      const imap = await startImapServer();
      const { acme, asha, page } = await openShop();
      const box = page.getByRole('region', { name: 'Your own mailbox' });
      const fields = page.getByRole('form', { name: 'Your own mailbox' });
      const wrong = () => fields.locator('[aria-invalid=true]');
      const check = () => fields.getByRole('button', { name: 'Test' }).click();
      await imap.deliver(acme.id, 'From: meera@example.com\r\nSubject: Old\r\n\r\nHello\r\n', { folder: 'Shop' });
      await page.getByText('The operator of this platform has not switched it on.').waitFor();
      await page.getByRole('button', { name: 'Set up a mailbox' }).click();
      await fields.getByRole('button', { name: 'Save mailbox' }).click();
      await eventually(async () => expect(await wrong().count()).toBe(3));
      await inspect(page, 'settings-mailbox-errors');

      await fields.getByLabel('Mail address').fill('hello@shop.example');
      await fields.getByLabel('IMAP server').fill('127.0.0.1');
      await fields.getByLabel('Port').fill(String(imap.port));
      await fields.getByLabel('User name').fill(acme.id);
      await fields.getByLabel('Password').fill('wrong');
      await check();
      await fields.getByText('127.0.0.1 does not begin with TLS').waitFor();
      expect(await wrong().getAttribute('name')).toBe('security');
      await fields.getByLabel('Security').selectOption('none');
      await check();
      await fields.getByText('The server refuses the user name or the password.').waitFor();
      expect(await wrong().getAttribute('name')).toBe('password');
      expect(await page.evaluate('document.activeElement.name')).toBe('password');
      await fields.getByLabel('Password').fill(imapPassword);
      await fields.getByLabel('Folder').fill('Shops');
      await check();
      await fields.getByText('There is no folder Shops.').waitFor();
      expect(await wrong().getAttribute('name')).toBe('folder');
      await fields.getByText(/^Folders of the mailbox: .*Shop/).waitFor();
      await inspect(page, 'settings-mailbox-test');
      await fields.getByLabel('Folder').fill('Shop');
      await check();
      await fields.getByText('It works. The folder has 1 mail.').waitFor();
      expect((await asha.get('/api/v1/mailbox/imap')).status).toBe(404);
      await fields.getByLabel('Which mails').selectOption('7');
      await fields.getByLabel('Mark them as read').check();
      await fields.getByRole('button', { name: 'Save mailbox' }).click();
      await page.getByText('Mailbox hello@shop.example connected.').waitFor();
      expect((await asha.get('/api/v1/mailbox/imap')).body.imap).toMatchObject({
        address: 'hello@shop.example',
        port: imap.port,
        security: 'none',
        username: acme.id,
        folder: 'Shop',
        import_days: 7,
        mark_seen: true,
      });
      await box.getByText('Fetching', { exact: true }).waitFor();
      await box.getByText('just now').waitFor();
      await inspect(page, 'settings-mailbox', 'complete');

      await box.getByRole('button', { name: 'Change' }).click();
      await fields.getByText('Saved, and not shown again.').waitFor();
      expect(await page.content()).not.toContain(imapPassword);
      await fields.getByLabel('Folder').fill('Gone');
      await fields.getByRole('button', { name: 'Save mailbox' }).click();
      await box.getByText('There is no folder Gone.').waitFor();
      await box.getByText('Not fetching').waitFor();
      await inspect(page, 'settings-mailbox-failing');
      await box.getByRole('button', { name: 'Remove' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove mailbox' }).click();
      await page.getByRole('button', { name: 'Set up a mailbox' }).waitFor();
      expect((await asha.get('/api/v1/mailbox/imap')).status).toBe(404);
    },
  );
});

describe.skipIf(!chromiumPath)('settings of channels, where the operator receives mails', () => {
  let platform: Console;
  beforeAll(async () => {
    platform = await startConsole({
      environment: { INBOUND_SMTP_PORT: '0', INBOUND_MAIL_DOMAIN: 'in.example.com' },
    });
    return () => platform.close();
  });

  test('the address for mails of customers is shown and copied', async () => {
    const acme = await platform.tenant({ name: 'Lakshmi Stores' });
    const asha = await platform.person({ tenant: acme });
    const page = await platform.openAs(asha, acme, '/settings/channels');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByText(`${acme.id}@in.example.com`).waitFor();
    await page.getByText('No mail server is configured').waitFor();
    await page.getByRole('button', { name: 'Copy mail address' }).click();
    await eventually(async () =>
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`${acme.id}@in.example.com`),
    );
    await inspect(page, 'settings-channels-address');
  });
});
