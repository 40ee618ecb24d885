import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '../../../../server/src/smtp/receiver.ts';
import { type CustomerMails, startCustomerMails } from '../../../../server/testing/customer-mails.ts';
import { hasImapServer, imapPassword, startImapServer } from '../../../../server/testing/imap-server.ts';
import { type Console, chromiumPath, heading, startConsole } from '../../../testing/console.ts';

describe.skipIf(!chromiumPath)('mails of customers are answered in the console', async () => {
  const imap = hasImapServer && chromiumPath ? await startImapServer() : undefined;
  let mails: CustomerMails;
  let platform: Console;
  let receiver: Receiver;

  beforeAll(async () => {
    mails = await startCustomerMails();
    platform = await startConsole({
      environment: {
        MAIL_URL: mails.url,
        OUTBOUND_ALLOW_HOSTS: '127.0.0.1',
        INBOUND_SMTP_PORT: '0',
        INBOUND_MAIL_DOMAIN: 'in.example.com',
      },
    });
    receiver = (await startReceiver(platform.kernel)) as Receiver;
  });

  afterAll(async () => {
    await receiver?.close();
    await platform?.close();
    await mails?.close();
  });

  async function answer(page: Page, text: string): Promise<void> {
    await page.getByRole('textbox', { name: 'Reply' }).fill(text);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('log').getByText(text).waitFor();
  }

  test('that come to the platform, each answer in the thread', async () => {
    const acme = await platform.tenant({ name: 'Chai & Co' });
    const page = await platform.openAs(await platform.person({ tenant: acme }), acme, '/conversations');
    await heading(page, 'Conversations').waitFor();
    const from = 'Meera Nair <meera@example.com>';
    const subject = 'Where is my tea?';
    let last = await mails.send(receiver.port, { from, to: `${acme.id}@in.example.com`, subject, text: 'Hello' });
    await page.getByRole('link', { name: /Meera Nair/ }).click();
    await page.getByRole('log').getByText('Hello').waitFor();
    for (const round of ['first', 'second']) {
      await answer(page, `It left us, ${round} answer.`);
      const { inReplyTo, replyTo, subject: answered } = await mails.find(`${round} answer`);
      expect({ inReplyTo, answered }).toEqual({ inReplyTo: last, answered: `Re: ${subject}` });
      const to = replyTo?.[0]?.address as string;
      last = await mails.send(receiver.port, {
        from,
        to,
        subject: `Re: ${subject}`,
        text: `Thank you, ${round} time.\n\nOn Tue, 17 Nov 2026 at 10:00, Chai & Co wrote:\n> Answered in the ${round} round.\n`,
      });
      await page.getByRole('log').getByText(`Thank you, ${round} time.`).waitFor();
    }
    // What a mail repeats is folded.
    const repeated = page.getByRole('log').getByText('Answered in the second round.');
    expect(await repeated.isVisible()).toBe(false);
    await page.getByText('Quoted text and signature').last().click();
    await repeated.waitFor();
    // An absence note is marked, and does not wait for an answer.
    await mails.send(receiver.port, {
      from,
      to: `${acme.id}@in.example.com`,
      inReplyTo: last,
      subject: 'Out of office',
      text: 'I am back on Monday.',
      headers: { 'Auto-Submitted': 'auto-replied' },
    });
    const absence = page.getByRole('article').filter({ hasText: 'I am back on Monday.' });
    await absence.getByText('Sent automatically').waitFor();
    expect(await page.getByText('Sent automatically').count()).toBe(1);
  });

  test.skipIf(!imap)('that come to the mailbox of the organization, each answer in the thread', async () => {
    if (!imap) return;
    const acme = await platform.tenant({ name: 'Chai & Co' });
    const owner = await platform.person({ tenant: acme });
    const address = 'hello@shop.example';
    const account = { address, host: '127.0.0.1', port: imap.port, security: 'none', username: acme.id };
    const saved = await owner.put('/api/v1/mailbox/imap', { ...account, password: imapPassword });
    expect(saved.status, JSON.stringify(saved.body)).toBe(200);
    const page = await platform.openAs(owner, acme, '/conversations');
    await heading(page, 'Conversations').waitFor();
    const deliver = async (id: string, text: string, answers?: string) => {
      const thread = answers === undefined ? [] : [`In-Reply-To: ${answers}`, `References: ${answers}`];
      const headers = ['From: Ravi Kumar <ravi@example.com>', `Message-ID: <${id}>`, 'Subject: Tea', ...thread];
      await imap.deliver(acme.id, [...headers, '', text, ''].join('\r\n'));
      await platform.kernel.jobs.add({ job: 'mailbox.fetch_imap', tenant: acme.id, data: {}, requestId: 'test' });
    };
    await deliver('one@example.com', 'Do you have green tea?');
    await page.getByRole('link', { name: /Ravi Kumar/ }).click();
    await page.getByRole('log').getByText('Do you have green tea?').waitFor();
    let last = '<one@example.com>';
    for (const round of ['first', 'second']) {
      await answer(page, `Yes, we do, ${round} answer.`);
      const { inReplyTo, replyTo, messageId } = await mails.find(`Yes, we do, ${round} answer`);
      expect({ inReplyTo, replyTo }).toMatchObject({ inReplyTo: last, replyTo: [{ address }] });
      await deliver(`${round}@example.com`, `Great, ${round} time.`, messageId);
      last = `<${round}@example.com>`;
      await page.getByRole('log').getByText(`Great, ${round} time.`).waitFor();
    }
  });
});
