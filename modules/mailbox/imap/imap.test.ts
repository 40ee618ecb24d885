import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { sql } from '@chowk/kit';
import { ImapFlow } from 'imapflow';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { startAccounts } from '../../../server/testing/accounts.ts';
import { eventually } from '../../../server/testing/eventually.ts';
import { hasImapServer, imapPassword, imapQuotaBytes, startImapServer } from '../../../server/testing/imap-server.ts';
import { imapJobs } from './fetch.ts';

const hour = 3_600_000;
const day = 24 * hour;
const url = '/api/v1/mailbox/imap';

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

const platform = await startAccounts({
  environment: {
    OUTBOUND_ALLOW_HOSTS: '127.0.0.1,localhost',
    MAIL_URL: `smtp://127.0.0.1:${(smtp.server.address() as AddressInfo).port}`,
    MAIL_FROM: 'Chowk <no-reply@chowk.example>',
  },
});

/** A tenant that may have a mailbox at a server on this machine. */
async function openShop(server: { readonly port: number }) {
  const tenant = await platform.tenant({ name: 'Chai & Co' });
  const owner = await platform.person({ tenant });
  const user = tenant.id;
  const account = {
    address: `${user}@shop.example`,
    host: '127.0.0.1',
    port: server.port,
    security: 'none',
    username: user,
    password: imapPassword,
  };
  const save = (changes: object = {}) => owner.put(url, { ...account, ...changes });
  const check = (changes: object = {}) => owner.post(`${url}/test`, { ...account, ...changes });
  const fetch = () => imapJobs['mailbox.fetch_imap'].run(tenant.context('mailbox'), {});
  const show = async () => (await owner.get(url)).body.imap;
  /** Waits for the fetch that saving has queued: its outcome must not replace that of a later one. */
  const settle = () =>
    eventually(async () => {
      const { rows } = await platform.kernel.jobs.list();
      expect(rows.filter((row) => row.tenant === tenant.id && row.job === 'mailbox.fetch_imap')).toEqual([]);
    });
  return { tenant, owner, user, account, save, check, fetch, show, settle };
}
type Shop = Awaited<ReturnType<typeof openShop>>;

/** Another process of the platform, which fetches the mails of the shop. */
function startFetch({ tenant }: Shop) {
  const { central, config } = platform.kernel;
  const { user, password, port } = central.address;
  const file = resolve(import.meta.dirname, '../../../server/testing/job-process.ts');
  const child = spawn(process.execPath, [file, tenant.id, 'mailbox.fetch_imap'], {
    env: {
      ...process.env,
      APP_ENV: 'testing',
      SPARE_DATABASES: '0',
      STORAGE_PATH: config.storagePath,
      OUTBOUND_ALLOW_HOSTS: '127.0.0.1',
      DATABASE_URL: `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${central.database}`,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, exited: once(child, 'exit') };
}

interface Letter {
  readonly from?: string;
  readonly id?: string;
  readonly subject?: string;
  readonly answers?: string;
  readonly text?: string;
}

function letter({
  from = 'Meera <meera@example.com>',
  id = randomUUID(),
  subject = 'Tea',
  answers,
  text = 'Hello',
}: Letter) {
  const headers = [`From: ${from}`, `Message-ID: <${id}>`, `Subject: ${subject}`];
  if (answers !== undefined) headers.push(`In-Reply-To: ${answers}`, `References: ${answers}`);
  return [...headers, 'Content-Type: text/plain; charset=utf-8', '', text, ''].join('\r\n');
}

/** The texts of the messages in the tenant's conversations, sorted. */
async function texts({ tenant }: Shop): Promise<string[]> {
  const rows = await tenant.db.rows<{ body: string }>(sql`SELECT body FROM conversation_messages`);
  return rows.map(({ body }) => body.trim()).sort();
}

describe.skipIf(!hasImapServer)('mails of a mailbox', async () => {
  if (!hasImapServer) return;
  const imap = await startImapServer();

  async function openMailbox(fields: object = {}): Promise<Shop> {
    const shop = await openShop(imap);
    expect(await shop.save(fields)).toMatchObject({ status: 200 });
    return shop;
  }

  test('come in, are answered from the address of the mailbox and belong to one thread, twice over', async () => {
    const { tenant, owner, user, account } = await openMailbox();
    const schedule = () => {
      const task = { job: 'mailbox.schedule_imap', tenant: tenant.id, data: {}, requestId: 'test' };
      return tenant.db
        .run(sql`UPDATE imap_mailboxes SET next_fetch_at = now()`)
        .then(() => platform.kernel.jobs.add(task));
    };
    const conversation = (count: number) =>
      eventually(async () => {
        const { conversations } = (await owner.get('/api/v1/conversations')).body;
        expect(conversations).toMatchObject([{ channel: 'email', subject: 'Where is my tea?', message_count: count }]);
        return conversations[0];
      });
    const answer = async (id: string, body: string) => {
      await owner.post(`/api/v1/conversations/${id}/messages`, { body });
      return eventually(() => mails.find(({ text }) => text?.trim() === body) ?? Promise.reject());
    };

    await imap.deliver(user, letter({ id: 'one@example.com', subject: 'Where is my tea?', text: 'It is late.' }));
    await schedule();
    const { id, customer } = await conversation(1);
    expect(customer).toMatchObject({ email: 'meera@example.com', first_name: 'Meera' });
    const first = await answer(id, 'It left us on Tuesday.');
    expect(first).toMatchObject({
      to: [{ address: 'meera@example.com' }],
      replyTo: [{ address: account.address }],
      subject: 'Re: Where is my tea?',
      inReplyTo: '<one@example.com>',
    });

    const again = { id: 'two@example.com', subject: 'Re: Where is my tea?', answers: first.messageId as string };
    await imap.deliver(user, letter({ ...again, text: 'Still nothing.' }));
    await schedule();
    await conversation(3);
    const second = await answer(id, 'It is at your door.');
    expect(second).toMatchObject({ replyTo: [{ address: account.address }], inReplyTo: '<two@example.com>' });
    expect(second.references).toBe(`<one@example.com> ${first.messageId} <two@example.com>`);
    await conversation(4);
  });

  test('that came before it was saved are left out, unless some days are imported', async () => {
    const shop = await openShop(imap);
    const before = (days: number) => ({ at: new Date(Date.now() - days * day) });
    await imap.deliver(shop.user, letter({ text: 'a month ago' }), before(30));
    await imap.deliver(shop.user, letter({ text: 'three days ago' }), before(3));
    await imap.deliver(shop.user, letter({ text: 'an hour ago' }), { at: new Date(Date.now() - hour) });
    await shop.save();
    await shop.fetch();
    expect(await texts(shop)).toEqual([]);
    await imap.deliver(shop.user, letter({ text: 'now' }));
    await shop.fetch();
    expect(await texts(shop)).toEqual(['now']);
    await shop.save({ import_days: 7 });
    await shop.fetch();
    expect(await texts(shop)).toEqual(['an hour ago', 'now', 'three days ago']);
  });

  test('are not downloaded if there are a thousand old ones', { timeout: 120_000 }, async () => {
    const shop = await openShop(imap);
    for (let index = 0; index < 1_000; index += 1) {
      await imap.deliver(shop.user, letter({ id: `old-${index}` }), { at: new Date(Date.now() - 10 * day) });
    }
    await shop.save();
    await imap.deliver(shop.user, letter({ text: 'new' }));
    await shop.fetch();
    expect(await texts(shop)).toEqual(['new']);
    expect(await shop.tenant.db.row(sql`SELECT last_uid::int FROM imap_mailboxes`)).toEqual({ last_uid: 1_001 });
  });

  test('are added once, also when they come twice or the server renumbers them', async () => {
    const shop = await openShop(imap);
    const folder = 'Support';
    await imap.deliver(shop.user, letter({ text: 'old' }), { folder, at: new Date(Date.now() - day) });
    await shop.save({ folder });
    await imap.deliver(shop.user, letter({ id: 'same@example.com', text: 'first' }), { folder });
    await imap.deliver(shop.user, letter({ id: 'same@example.com', text: 'first' }), { folder });
    await imap.deliver(shop.user, 'From: meera@example.com\r\nSubject: No id\r\n\r\nsecond', { folder });
    await shop.fetch();
    await look(shop.user, async (client) => {
      await client.mailboxRename(folder, 'Old');
      await client.mailboxCreate(folder);
      await client.mailboxOpen('Old');
      await client.messageMove('1:*', folder);
    });
    await imap.deliver(shop.user, letter({ text: 'third' }), { folder });
    await shop.fetch();
    expect(await texts(shop)).toEqual(['first', 'second', 'third']);
  });

  test('that are too large are noted, and those after them come in', { timeout: 60_000 }, async () => {
    const shop = await openMailbox();
    await imap.deliver(shop.user, letter({ subject: 'Pictures', text: 'x'.repeat(27_000_000) }));
    await imap.deliver(shop.user, letter({ text: 'small' }));
    await shop.fetch();
    expect(await texts(shop)).toEqual(['This mail is too large (28 MB). Read it in your mailbox.', 'small']);
    const { conversations } = (await shop.owner.get('/api/v1/conversations?search=Pictures')).body;
    expect(conversations).toMatchObject([{ customer: { email: 'meera@example.com' } }]);
  });

  test('that cannot be added are noted after some attempts, and those after them come in', async () => {
    const shop = await openMailbox();
    await shop.tenant.db.run(sql`
      ALTER TABLE conversation_messages ADD CONSTRAINT harmless CHECK (body NOT LIKE 'harmful%') NOT VALID`);
    await imap.deliver(shop.user, letter({ subject: 'Bad', text: 'harmful' }));
    await imap.deliver(shop.user, letter({ text: 'good' }));
    await eventually(async () => {
      await shop.fetch().catch(() => {});
      expect(await texts(shop)).toEqual(['This mail could not be added. Read it in your mailbox.', 'good']);
    });
  });

  test('come in turns: a large number is fetched in several jobs', { timeout: 120_000 }, async () => {
    const shop = await openMailbox();
    for (let index = 0; index < 150; index += 1) await imap.deliver(shop.user, letter({ text: `${index}` }));
    await shop.fetch();
    await expect.poll(async () => (await texts(shop)).length, { timeout: 90_000 }).toBe(150);
    expect(new Set(await texts(shop)).size).toBe(150);
  });

  test('are neither lost nor added twice when the process is killed', { timeout: 240_000 }, async () => {
    const shop = await openMailbox();
    await shop.fetch();
    // The process is mostly killed after a mail is added and before this is noted.
    await shop.tenant.db.run(sql`
      CREATE FUNCTION delay() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.1); RETURN NEW; END'`);
    await shop.tenant.db.run(sql`
      CREATE TRIGGER delay BEFORE UPDATE OF last_uid ON imap_mailboxes FOR EACH ROW EXECUTE FUNCTION delay()`);
    await shop.tenant.db.run(sql`UPDATE imap_mailboxes SET next_fetch_at = now() + interval '1 day'`);
    const expected = Array.from({ length: 30 }, (_, index) => `mail ${index}`).sort();
    for (const text of expected) await imap.deliver(shop.user, letter({ text }));
    for (const count of [3, 15]) {
      const { child, exited } = startFetch(shop);
      await expect
        .poll(async () => (await texts(shop)).length, { timeout: 90_000, interval: 5 })
        .toBeGreaterThan(count);
      child.kill('SIGKILL');
      expect(await exited).toEqual([null, 'SIGKILL']);
      expect((await texts(shop)).length).toBeLessThan(expected.length);
    }
    await shop.fetch();
    expect(await texts(shop)).toEqual(expected);
  });

  /** Looks into the mailbox as the merchant does. */
  async function look<Result>(user: string, work: (client: ImapFlow) => Promise<Result>): Promise<Result> {
    const auth = { user, pass: imapPassword };
    const client = new ImapFlow({
      host: '127.0.0.1',
      port: imap.port,
      secure: false,
      doSTARTTLS: false,
      auth,
      logger: false,
    });
    await client.connect();
    try {
      await client.mailboxOpen('INBOX');
      return await work(client);
    } finally {
      await client.logout();
    }
  }

  test('stay unread in the mailbox, unless they are to be marked', async () => {
    for (const mark_seen of [false, true]) {
      const shop = await openMailbox({ mark_seen });
      await imap.deliver(shop.user, letter({}));
      await shop.fetch();
      expect(await texts(shop)).toEqual(['Hello']);
      const flags = await look(shop.user, async (client) => (await client.fetchAll('1:*', { flags: true }))[0]?.flags);
      expect(flags?.has('\\Seen')).toBe(mark_seen);
    }
  });

  test('come in from a mailbox that is full', async () => {
    const shop = await openMailbox({ mark_seen: true });
    await imap.deliver(shop.user, letter({ text: 'x'.repeat(imapQuotaBytes) }));
    await imap.deliver(shop.user, letter({ text: 'after' }));
    await expect(look(shop.user, (client) => client.append('INBOX', letter({})))).rejects.toMatchObject({
      serverResponseCode: 'OVERQUOTA',
    });
    await shop.fetch();
    expect(await texts(shop)).toContain('after');
    expect(await shop.show()).toMatchObject({ failure: null });
  });

  test('wait while the folder has another name, and come in from the renamed one', async () => {
    const shop = await openShop(imap);
    await imap.deliver(shop.user, letter({ text: 'old' }), { folder: 'Support', at: new Date(Date.now() - day) });
    await shop.save({ folder: 'Support' });
    await shop.settle();
    await imap.deliver(shop.user, letter({ text: 'one' }), { folder: 'Support' });
    await shop.fetch();
    await look(shop.user, (client) => client.mailboxRename('Support', 'Help'));
    await imap.deliver(shop.user, letter({ text: 'two' }), { folder: 'Help' });
    await shop.fetch();
    expect(await shop.show()).toMatchObject({ failure: 'There is no folder Support.' });
    expect((await shop.check({ folder: 'Support' })).body).toMatchObject({
      is_working: false,
      field: 'folder',
      folders: ['INBOX', 'Help'],
    });
    expect(await texts(shop)).toEqual(['one']);
    await shop.save({ folder: 'Help' });
    await shop.settle();
    await shop.fetch();
    expect(await texts(shop)).toEqual(['one', 'two']);
    expect(await shop.show()).toMatchObject({ folder: 'Help', failure: null });
  });

  test('wait while the server is away; the Owners learn of it once, after an hour', { timeout: 60_000 }, async () => {
    const shop = await openMailbox();
    const agent = await platform.person({ tenant: shop.tenant, role: 'Agent' });
    await shop.fetch();
    const next = async () => new Date((await shop.show()).next_fetch_at).getTime() - Date.now();
    const notices = async (person: typeof agent) =>
      (await person.get('/api/v1/notifications?type=mailbox.failed')).body.notifications;
    await imap.stop();
    try {
      await imap.deliver(shop.user, letter({ text: 'patient' }));
      await shop.fetch();
      const failing = {
        failure: `127.0.0.1 refuses connections at port ${imap.port}.`,
        failing_since: expect.any(String),
      };
      expect(await shop.show()).toMatchObject(failing);
      const first = await next();
      await shop.fetch();
      await shop.fetch();
      expect(await next()).toBeGreaterThan(first + 120_000);
      expect(await notices(shop.owner)).toEqual([]);
      await shop.tenant.db.run(sql`UPDATE imap_mailboxes SET failing_since = failing_since - interval '1 hour'`);
      await shop.fetch();
      await shop.fetch();
      expect(await notices(shop.owner)).toMatchObject([
        { title: `Mails to ${shop.account.address} do not come in`, count: 1, severity: 'error' },
      ]);
      expect(await notices(agent)).toEqual([]);
    } finally {
      await imap.start();
    }
    await shop.fetch();
    expect(await texts(shop)).toEqual(['patient']);
    expect(await shop.show()).toMatchObject({ failure: null, failing_since: null });
  });

  const tls = { port: imap.tlsPort, security: 'tls' };
  test.each<[string, object, string, RegExp]>([
    ['the password', { password: 'wrong' }, 'password', /user name or the password/],
    ['the host', { host: 'nobody.invalid', security: 'tls' }, 'host', /nobody.invalid cannot be reached/],
    ['the port', { port: 65_533 }, 'port', /refuses connections at port 65533/],
    ['the folder', { folder: 'Nowhere' }, 'folder', /^There is no folder Nowhere\.$/],
    ['TLS at a port without it', { security: 'tls' }, 'security', /choose STARTTLS or another port/],
    ['no TLS at a port with it', { port: imap.tlsPort }, 'port', /does not answer as a mail server/],
    ['a certificate that nobody has signed', { host: 'localhost', ...tls }, 'host', /certificate of localhost/],
  ])('a test says what is wrong: %s', { timeout: 30_000 }, async (_, fields, field, reason) => {
    const { status, body } = await (await openShop(imap)).check(fields);
    expect({ status, body }).toMatchObject({ status: 200, body: { is_working: false, field, mail_count: null } });
    expect(body.reason).toMatch(reason);
  });

  test('a mailbox works with TLS and STARTTLS if the certificate is trusted', async () => {
    const usual = getCACertificates();
    setDefaultCACertificates([...usual, await readFile(imap.certificate, 'utf8')]);
    try {
      const shop = await openShop(imap);
      await imap.deliver(shop.user, letter({}));
      const working = { status: 200, body: { is_working: true, field: null, folders: ['INBOX'], mail_count: 1 } };
      expect(await shop.check({ host: 'localhost', ...tls })).toMatchObject(working);
      expect(await shop.check({ host: 'localhost', security: 'starttls' })).toMatchObject(working);
      // The certificate is for another name.
      expect((await shop.check(tls)).body).toMatchObject({ field: 'host' });
    } finally {
      setDefaultCACertificates(usual);
    }
  });
});

test.each([
  ['host', { host: '10.0.0.1' }],
  ['host', { host: '0x7f.1.2.3' }],
  ['host', { host: '169.254.169.254' }],
  ['host', { host: '::1' }],
  ['host', { host: 'mail.example/inbox' }],
  ['security', { host: '93.184.215.14' }],
  ['port', { port: 25 }],
  ['address', { address: 'nobody' }],
  ['folder', { folder: 'a\r\nb' }],
  ['import_days', { import_days: 91 }],
])('a wrong %s is refused when it is saved or tested: %j', async (field, changes) => {
  const shop = await openShop({ port: 143 });
  const refused = { status: 422, body: { errors: { [field]: [expect.any(String)] } } };
  expect(await shop.save(changes)).toMatchObject(refused);
  expect(await shop.check(changes)).toMatchObject(refused);
});

test('the password is stored encrypted, never shown, and not sent to another server', async () => {
  const shop = await openShop({ port: 1 + 1_024 });
  const { body } = await shop.save();
  expect(JSON.stringify(body)).not.toContain(imapPassword);
  expect(JSON.stringify(await shop.show())).not.toContain(imapPassword);
  const dump = JSON.stringify(await shop.tenant.db.rows(sql`SELECT * FROM imap_mailboxes`));
  expect(dump).not.toContain(imapPassword);
  expect(JSON.stringify(await shop.tenant.db.rows(sql`SELECT * FROM module_bus_audit_log`))).not.toContain(
    imapPassword,
  );
  const { password: _, ...account } = shop.account;
  expect(await shop.owner.put(url, { ...account, mark_seen: true })).toMatchObject({ status: 200 });
  for (const change of [{ host: 'localhost' }, { port: 1_026 }, { username: 'other' }]) {
    const refused = { status: 422, body: { errors: { password: [expect.any(String)] } } };
    expect(await shop.owner.put(url, { ...account, ...change })).toMatchObject(refused);
    expect(await shop.owner.post(`${url}/test`, { ...account, ...change })).toMatchObject(refused);
  }
});

test('a mailbox is deleted with its password', async () => {
  const shop = await openShop({ port: 1_025 });
  const absent = { status: 404, body: { code: 'mailbox.imap_not_found' } };
  expect(await shop.owner.get(url)).toMatchObject(absent);
  await shop.save();
  expect(await shop.owner.delete(url)).toMatchObject({ status: 200, body: { message: 'Mailbox deleted.' } });
  expect(await shop.owner.get(url)).toMatchObject(absent);
  expect(await shop.owner.delete(url)).toMatchObject(absent);
  expect(await shop.fetch()).toEqual({ received: 0 });
});
