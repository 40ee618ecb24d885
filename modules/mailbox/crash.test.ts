import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from '@chowk/kit';
import { createTransport } from 'nodemailer';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { afterAll, expect, test } from 'vitest';
import { freePort } from '../../server/src/free-port.ts';
import { startAccounts } from '../../server/testing/accounts.ts';
import { startPlatform } from '../../server/testing/platform.ts';

/* Mails come and go while the process that receives, reads and sends them is killed again and again. */

const each = 120;
const kills = 4;
const senders = 40;
const closed = 'We are closed and answer tomorrow.';

/** The Message-IDs of the mails that customers got, by address and text. */
const delivered = new Map<string, Set<string>>();
const customers = new SMTPServer({
  disabledCommands: ['AUTH', 'STARTTLS'],
  async onData(stream, _session, done) {
    // The process may die in the middle of a mail.
    const content = await Array.fromAsync(stream as AsyncIterable<Buffer>).catch(() => undefined);
    if (!content) return done(new Error('the mail is not complete'));
    const mail = await PostalMime.parse(Buffer.concat(content));
    const key = `${mail.to?.[0]?.address} ${mail.text?.trim()}`;
    delivered.set(key, (delivered.get(key) ?? new Set()).add(mail.messageId ?? ''));
    done();
  },
});
customers.on('error', () => {});
customers.listen(0, '127.0.0.1');
await once(customers.server, 'listening');
afterAll(() => new Promise<void>((closed) => customers.close(closed)));

const port = await freePort();
const environment = {
  INBOUND_SMTP_PORT: String(port),
  INBOUND_MAIL_DOMAIN: 'in.example.com',
  MAIL_URL: `smtp://127.0.0.1:${(customers.server.address() as AddressInfo).port}`,
  MESSAGES_PER_DAY: '0',
};
// Only the process that is killed performs jobs.
const platform = await startAccounts({ environment, sharedWith: await startPlatform({ environment }) });
const { central, config } = platform.kernel;
const tenant = await platform.tenant();
const owner = await platform.person({ tenant });

let child: ChildProcess;
async function startProcess(): Promise<void> {
  const { user, password, port: databasePort } = central.address;
  child = spawn(process.execPath, [resolve(import.meta.dirname, '../../server/testing/mail-server-process.ts')], {
    env: {
      ...process.env,
      ...environment,
      APP_ENV: 'testing',
      SPARE_DATABASES: '0',
      STORAGE_PATH: config.storagePath,
      DATABASE_URL: `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${databasePort}/${central.database}`,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout as NodeJS.ReadableStream, 'data');
}
afterAll(() => void child.kill('SIGKILL'));

/** As a mail server does it: again until it is acknowledged, with the same Message-ID. */
async function sendUntilAcknowledged(number: number): Promise<void> {
  const client = createTransport({ host: '127.0.0.1', port, ignoreTLS: true, connectionTimeout: 5_000 });
  const mail = {
    from: `customer${number % senders}@example.com`,
    to: `${tenant.id}@in.example.com`,
    subject: `Mail ${number}`,
    messageId: `<mail-${number}@example.com>`,
    text: `Question ${number}`,
  };
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const isSent = await client.sendMail(mail).then(
      () => true,
      () => false,
    );
    if (isSent) return;
    await delay(200);
  }
  throw new Error(`the mail ${number} was never acknowledged`);
}

/** Closed, in a time zone in which no day begins during the test: a sender is answered once a day. */
function closedToday() {
  const now = new Date();
  const day = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'][(now.getUTCDay() + 3) % 7];
  return {
    'general.timezone': now.getUTCHours() < 12 ? 'Asia/Kolkata' : 'America/New_York',
    'conversations.opening_hours': [{ days: [day], from: '09:00', to: '17:00' }],
    'conversations.closed_answer': closed,
  };
}

test('no mail is lost and none is added or answered twice, whenever the process is killed', {
  timeout: 300_000,
}, async () => {
  expect((await owner.patch('/api/v1/settings', closedToday())).status).toBe(200);
  const customer = { email: 'asha@example.com' };
  const begun = await owner.post('/api/v1/conversations', { customer, channel: 'email', subject: 'Tea' });
  const conversation = begun.body.conversation.id;
  await startProcess();
  let done = 0;
  let killed = 0;
  const numbers = Array.from({ length: each }, (_, number) => number);
  const work = async (work: (number: number) => Promise<void>, queue: number[]) => {
    for (let number = queue.shift(); number !== undefined; number = queue.shift()) {
      await work(number);
      done += 1;
    }
  };
  const reply = async (number: number) => {
    const body = { body: `Answer ${number}` };
    expect((await owner.post(`/api/v1/conversations/${conversation}/messages`, body)).status).toBe(201);
  };
  const [incoming, outgoing] = [[...numbers], [...numbers]];
  const kill = async () => {
    while (killed < kills) {
      if (done >= ((killed + 1) * 2 * each) / (kills + 1)) {
        child.kill('SIGKILL');
        await once(child, 'exit');
        killed += 1;
        await startProcess();
      }
      await delay(20);
    }
  };
  await Promise.all([
    ...Array.from({ length: 8 }, () => work(sendUntilAcknowledged, incoming)),
    ...Array.from({ length: 2 }, () => work(reply, outgoing)),
    kill(),
  ]);

  const count = async () => {
    const added = await tenant.db.rows<{ body: string; times: number }>(sql`
      SELECT body, count(*)::int AS times FROM conversation_messages WHERE direction = 'inbound' GROUP BY body`);
    const automatic = [...delivered.keys()].filter((key) => key.endsWith(closed)).length;
    const addedTwice = added.filter(({ times }) => times > 1).length;
    return { added: added.length, addedTwice, sent: delivered.size - automatic, automatic };
  };
  // Each sender gets one automatic answer.
  const expected = { added: each, addedTwice: 0, sent: each, automatic: senders };
  await expect.poll(count, { timeout: 120_000, interval: 200 }).toEqual(expected);
  // A mail that was sent again, because the process died before it recorded the first time, is the same mail.
  expect([...delivered.values()].filter((ids) => ids.size > 1)).toEqual([]);
  await expect
    .poll(async () => (await tenant.db.rows(sql`SELECT FROM mailbox_incoming`)).length, {
      timeout: 60_000,
    })
    .toBe(0);
  expect(killed).toBe(kills);
});
