import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { sql } from '@chowk/kit';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { afterAll, describe, expect, test } from 'vitest';
import { startAccounts } from '../../../server/testing/accounts.ts';
import { eventually } from '../../../server/testing/eventually.ts';
import { hasImapServer, imapPassword, startImapServer } from '../../../server/testing/imap-server.ts';
import { imapJobs } from './fetch.ts';

const mails: Email[] = [];
const smtp = new SMTPServer({
  disabledCommands: ['AUTH', 'STARTTLS'],
  async onData(stream, _session, done) {
    mails.push(await PostalMime.parse(Buffer.concat(await Array.fromAsync(stream as AsyncIterable<Buffer>))));
    done();
  },
});
smtp.listen(0, '127.0.0.1');
await once(smtp.server, 'listening');
afterAll(() => new Promise<void>((closed) => smtp.close(closed)));

describe.skipIf(!hasImapServer)('a mailbox over IMAP', async () => {
  if (!hasImapServer) return;
  const imap = await startImapServer();
  const platform = await startAccounts({
    environment: {
      OUTBOUND_ALLOW_HOSTS: '127.0.0.1,localhost',
      MAIL_URL: `smtp://127.0.0.1:${(smtp.server.address() as AddressInfo).port}`,
      MAIL_FROM: 'Chowk <no-reply@chowk.example>',
    },
  });
  const url = '/api/v1/mailbox/imap';

  /** A tenant with a mailbox of its own. */
  async function openShop(fields: object = {}) {
    const tenant = await platform.tenant({ name: 'Chai & Co' });
    const owner = await platform.person({ tenant });
    const user = tenant.id;
    const account = {
      address: `${user}@shop.example`,
      host: '127.0.0.1',
      port: imap.port,
      security: 'none',
      username: user,
      password: imapPassword,
    };
    const save = (changes: object = {}) => owner.put(url, { ...account, ...fields, ...changes });
    const fetch = () => imapJobs['mailbox.fetch_imap'].run(tenant.context('mailbox'), {});
    return { tenant, owner, user, account, save, fetch };
  }

  async function openMailbox(fields: object = {}) {
    const shop = await openShop(fields);
    expect(await shop.save()).toMatchObject({ status: 200 });
    return shop;
  }

  test('comes in', async () => {
    const { owner, user, fetch } = await openMailbox();
    await imap.deliver(
      user,
      'From: Meera <meera@example.com>\r\nMessage-ID: <one@example.com>\r\nSubject: Tea\r\n\r\nHello',
    );
    console.log(await fetch());
    console.log((await owner.get(url)).body);
    console.log((await owner.get('/api/v1/conversations')).body);
  });
});
void [randomUUID, sql, eventually];
