import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { connect as connectTls } from 'node:tls';
import { sql } from '@chowk/kit/kernel';
import { createTransport } from 'nodemailer';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { startPlatform } from '../../testing/platform.ts';
import { maxMailBytes } from './accept-mail.ts';
import { type Receiver, startReceiver } from './receiver.ts';

const platform = await startPlatform({
  environment: { INBOUND_SMTP_PORT: '0', INBOUND_MAIL_DOMAIN: 'in.example.com' },
});
const receiver = (await startReceiver(platform.kernel)) as Receiver;
afterAll(() => receiver.close());
const acme = await platform.tenant();
const inbox = `${acme.id}@in.example.com`;

/** A client that sends lines and awaits the code of each response. */
async function openClient() {
  const socket = connect(receiver.port, '127.0.0.1').on('error', () => {});
  onTestFinished(() => void socket.destroy());
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  const read = async (): Promise<string> => {
    const { value, done } = await lines.next();
    if (done) return 'closed';
    return /^\d{3}-/.test(value) ? `${value}\n${await read()}` : value;
  };
  const client = {
    socket,
    read,
    send: (line: string) => {
      socket.write(`${line}\r\n`);
      return read();
    },
    begin: async (to = inbox, from = 'eve@example.com') => {
      await client.send('EHLO client.example.com');
      await client.send(`MAIL FROM:<${from}>`);
      return client.send(`RCPT TO:<${to}>`);
    },
  };
  expect(await read()).toMatch(/^220 /);
  return client;
}

const lastMail = async () =>
  (
    await acme.db.row<{ content: Buffer }>(sql`SELECT content FROM mailbox_incoming ORDER BY id DESC LIMIT 1`)
  )?.content.toString();
const waitingMails = async () => (await acme.db.rows(sql`SELECT FROM mailbox_incoming`)).length;

describe('a recipient', () => {
  test.each([
    ['of the tenant is accepted', () => inbox, /^250 /],
    ['in upper case is accepted', () => inbox.toUpperCase(), /^250 /],
    ['that does not exist is refused', () => 'nobody-at-all@in.example.com', /^550 /],
    ['at another domain is refused', () => `${acme.id}@example.org`, /^550 /],
    ['with a forged signature is refused', () => `reply+${'0'.repeat(26)}.${'0'.repeat(13)}.${inbox}`, /^550 /],
    ['with a path is refused', () => `"../../x"@in.example.com`, /^5/],
    ['of a relay is refused', () => `victim%example.org@in.example.com`, /^550 /],
  ])('%s', async (_, to, code) => {
    const client = await openClient();
    expect(await client.begin(to())).toMatch(code);
  });

  test('of a suspended tenant is asked to try again later', async () => {
    const other = await platform.tenant();
    await platform.kernel.central.db.run(sql`UPDATE tenants SET status = 'suspended' WHERE id = ${other.id}`);
    const client = await openClient();
    await eventually(async () => expect(await client.begin(`${other.id}@in.example.com`)).toMatch(/^450 /));
  });

  test('too many in one mail are refused', async () => {
    const client = await openClient();
    await client.begin();
    const codes = [];
    for (let n = 0; n < 12; n += 1) codes.push((await client.send(`RCPT TO:<a${n}@in.example.com>`)).slice(0, 3));
    expect(new Set(codes)).not.toContain('250');
  });
});

describe('a mail', () => {
  test('is on the disk, with its job, when it is acknowledged', async () => {
    const before = await waitingMails();
    const client = await openClient();
    expect(await client.begin(inbox, '')).toMatch(/^250 /);
    expect(await client.send('DATA')).toMatch(/^354 /);
    expect(await client.send('From: a@example.com\r\n\r\nHello\r\n.')).toMatch(/^250 /);
    expect(await waitingMails()).toBe(before + 1);
    const row = await acme.db.row<{ content: Buffer }>(
      sql`SELECT content FROM mailbox_incoming ORDER BY id DESC LIMIT 1`,
    );
    expect(row?.content.toString()).toBe(
      `Return-Path: <>\r\nDelivered-To: ${inbox}\r\nFrom: a@example.com\r\n\r\nHello\r\n`,
    );
  });

  test('that is large is a file of the tenant, as it came', async () => {
    const client = await openClient();
    await client.begin();
    await client.send('DATA');
    const lines = Array.from({ length: 20_000 }, (_, n) => `line ${n}`).join('\r\n');
    expect(await client.send(`From: a@example.com\r\n\r\n${lines}\r\n.`)).toMatch(/^250 /);
    const row = await acme.db.row<{ file_id: string; content: null }>(
      sql`SELECT file_id, content FROM mailbox_incoming ORDER BY id DESC LIMIT 1`,
    );
    expect(row?.content).toBeNull();
    const stored = await acme.context('mailbox').files.read(row?.file_id as string);
    const content = Buffer.concat(await Array.fromAsync(stored as AsyncIterable<Buffer>)).toString();
    expect(content).toBe(
      `Return-Path: <eve@example.com>\r\nDelivered-To: ${inbox}\r\nFrom: a@example.com\r\n\r\n${lines}\r\n`,
    );
  });

  test('that says that it is too large is refused before it is sent', async () => {
    const client = await openClient();
    expect(await client.send('EHLO client')).toContain(`SIZE ${maxMailBytes}`);
    expect(await client.send(`MAIL FROM:<a@example.com> SIZE=${maxMailBytes + 1}`)).toMatch(/^552 /);
  });

  test('that turns out to be too large is refused politely, and nothing of it stays', { timeout: 60_000 }, async () => {
    const before = await waitingMails();
    const client = await openClient();
    await client.begin();
    await client.send('DATA');
    const memory = process.memoryUsage().rss;
    const chunk = Buffer.from(`${'a'.repeat(998)}\r\n`.repeat(1_000));
    for (let sent = 0; sent < maxMailBytes + 2_000_000; sent += chunk.length) {
      if (!client.socket.write(chunk)) await once(client.socket, 'drain');
    }
    expect(await client.send('.')).toMatch(/^552 .*maximum message size/);
    // The connection is still good.
    expect(await client.begin()).toMatch(/^250 /);
    expect(await waitingMails()).toBe(before);
    expect(await readdir(`${platform.kernel.config.storagePath}/uploads`)).toEqual([]);
    expect(process.memoryUsage().rss - memory).toBeLessThan(150_000_000);
  });

  test('whose client leaves in the middle is not stored', async () => {
    const before = await waitingMails();
    const client = await openClient();
    await client.begin();
    await client.send('DATA');
    client.socket.write('From: a@example.com\r\n\r\nHel');
    client.socket.destroy();
    const next = await openClient();
    expect(await next.begin()).toMatch(/^250 /);
    expect(await waitingMails()).toBe(before);
  });

  test('cannot smuggle another one in', async () => {
    const before = await waitingMails();
    const client = await openClient();
    await client.begin();
    await client.send('DATA');
    const smuggled = `From: a@example.com\r\n\r\nHi\n.\nMAIL FROM:<b@example.com>\nRCPT TO:<${inbox}>\nDATA\nEvil\r\n.`;
    expect(await client.send(smuggled)).toMatch(/^250 /);
    expect(await waitingMails()).toBe(before + 1);
  });
});

describe('with a certificate', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'chowk-smtp-'));
  const [inboundSmtpKey, inboundSmtpCertificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const files = ['-keyout', inboundSmtpKey, '-out', inboundSmtpCertificate];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...files, ...subject], { stdio: 'ignore' });
  const config = { ...platform.kernel.config, inboundSmtpKey, inboundSmtpCertificate };
  const secure = (await startReceiver({ ...platform.kernel, config })) as Receiver;
  const ca = await readFile(inboundSmtpCertificate, 'utf8');
  afterAll(async () => {
    await secure.close();
    await rm(folder, { recursive: true });
  });
  const send = (options: object) =>
    createTransport({ host: '127.0.0.1', port: secure.port, ...options }).sendMail({
      from: 'a@example.com',
      to: inbox,
      text: 'Over TLS',
    });

  test('a client that insists on TLS sends its mail encrypted, and checks the certificate', async () => {
    const { response } = await send({ requireTLS: true, tls: { ca, servername: 'localhost' } });
    expect(response).toMatch(/^250 /);
    expect(await lastMail()).toContain('Over TLS');
    await expect(send({ requireTLS: true, tls: { ca, servername: 'other.example' } })).rejects.toThrow(/altnames/);
    await expect(send({ requireTLS: true, tls: { servername: 'localhost' } })).rejects.toThrow(/self-signed/);
  });

  test('a client without TLS still sends its mail', async () => {
    expect((await send({ ignoreTLS: true })).response).toMatch(/^250 /);
  });

  test('commands that were sent before the encryption are forgotten', async () => {
    const socket = connect(secure.port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
    const last = async (): Promise<string> => {
      const { value = '' } = await lines.next();
      return /^\d{3}-/.test(value) ? last() : value;
    };
    await last();
    socket.write('EHLO client\r\n');
    await last();
    socket.write(`STARTTLS\r\nMAIL FROM:<eve@example.com>\r\nRCPT TO:<${inbox}>\r\n`);
    expect(await last()).toMatch(/^220 /);
    const encrypted = connectTls({ socket, ca, servername: 'localhost' });
    onTestFinished(() => void encrypted.destroy());
    await once(encrypted, 'secureConnect');
    encrypted.write('DATA\r\n');
    const [answer] = await once(createInterface({ input: encrypted }), 'line');
    expect(answer).toMatch(/^503 /);
  });
});

describe('a client', () => {
  test('cannot sign in', async () => {
    const client = await openClient();
    expect(await client.send('EHLO x')).not.toMatch(/AUTH|STARTTLS/);
    expect(await client.send('AUTH PLAIN AAAA')).toMatch(/^5/);
  });

  test('with an endless command is disconnected', async () => {
    const client = await openClient();
    client.socket.write('A'.repeat(100_000));
    expect(await client.read()).toMatch(/^421 /);
    expect(await client.read()).toBe('closed');
  });

  test('with too many connections is refused', async () => {
    const clients = await Promise.all(Array.from({ length: 30 }, () => openClient().catch((error: Error) => error)));
    const refused = connect(receiver.port, '127.0.0.1');
    onTestFinished(() => void refused.destroy());
    const [line] = await once(createInterface({ input: refused }), 'line');
    expect(line).toMatch(/^421 Too many connections/);
    for (const client of clients) if (!(client instanceof Error)) client.socket.destroy();
    await eventually(openClient);
  });

  test('that asks for too many unknown recipients is sent away', async () => {
    const client = await openClient();
    let answer = await client.begin('nobody-at-all@in.example.com');
    for (let n = 0; n < 40 && answer.startsWith('550'); n += 1)
      answer = await client.send('RCPT TO:<nobody-at-all@in.example.com>');
    expect(answer).toMatch(/^421 Too many|^421 4\.4\.2 Too many/);
  });
});
