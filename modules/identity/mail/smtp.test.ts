import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { sql } from '@chowk/kit';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { afterAll, expect, test } from 'vitest';
import { startAccounts } from '../../../server/testing/accounts.ts';
import { eventually } from '../../../server/testing/eventually.ts';

interface Received {
  readonly recipients: string[];
  readonly raw: string;
  readonly mail: Email;
}

const received: Received[] = [];
/** The number of further mails that the server rejects. */
let refusals = 0;

const smtp = new SMTPServer({
  disabledCommands: ['AUTH', 'STARTTLS'],
  onMailFrom(_address, _session, done) {
    refusals -= 1;
    const refusal = Object.assign(new Error('come back later'), { responseCode: 451 });
    done(refusals >= 0 ? refusal : null);
  },
  async onData(stream, session, done) {
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    const raw = Buffer.concat(chunks).toString();
    const recipients = session.envelope.rcptTo.map(({ address }) => address);
    received.push({ recipients, raw, mail: await PostalMime.parse(raw) });
    done();
  },
});
smtp.listen(0, '127.0.0.1');
await once(smtp.server, 'listening');
afterAll(() => new Promise<void>((closed) => smtp.close(closed)));

const { port } = smtp.server.address() as AddressInfo;
const environment = { MAIL_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'Chowk <no-reply@chowk.example>' };
const platform = await startAccounts({ environment });
const { central } = platform.kernel;

const mailTo = (address: string) =>
  eventually(() => {
    const found = received.find(({ recipients }) => recipients.includes(address));
    if (!found) throw new Error(`no mail to ${address}`);
    return found;
  });

test('the parameters of the mailed link verify the address', async () => {
  const acme = await platform.tenant({ name: 'Acme' });
  const person = await platform.person({ tenant: acme, verified: false });
  const origin = await platform.app.listen({ port: 0, host: '127.0.0.1' });
  await person.post('/api/v1/profile/email/resend-verification');
  const { mail, recipients } = await mailTo(person.email);
  expect({ recipients, from: mail.from, subject: mail.subject }).toMatchObject({
    recipients: [person.email],
    from: { name: 'Chowk', address: 'no-reply@chowk.example' },
    subject: 'Verify your email address for Acme',
  });
  expect(mail.headers.find(({ key }) => key === 'auto-submitted')?.value).toBe('auto-generated');
  const inText = /http\S+/.exec(mail.text ?? '')?.[0] ?? '';
  const inHtml = /href="([^"]*)"/.exec(mail.html ?? '')?.[1]?.replaceAll('&#38;', '&');
  expect(inHtml).toBe(inText);
  const { pathname, search } = new URL(inText);

  const verify = async () => (await fetch(`${origin}/api/v1${pathname}${search}`, { method: 'POST' })).json();
  expect(await verify()).toEqual({ message: expect.any(String), new_password_needed: true });
  expect(await verify()).toEqual({ message: expect.any(String), already_verified: true });
});

test('a rejected mail is retried, and the queued mail is encrypted', async () => {
  const person = await platform.person({ verified: false });
  refusals = 1;
  await person.post('/api/v1/profile/email/resend-verification');
  const waiting = () =>
    central.db.row<{ state: string; delay: number; data: string }>(sql`
      SELECT state::text, retry_delay AS delay, data::text FROM pgboss.job
      WHERE data->>'job' = 'kernel.mail' AND state <> 'completed'`);
  const job = await eventually(async () => {
    const found = await waiting();
    expect(found?.state).toBe('retry');
    return found;
  });
  expect(job?.delay).toBe(10);
  expect(job?.data).not.toContain(person.email);
  expect(job?.data).not.toContain('signature');
  // Skips the retry delay of ten seconds.
  await central.db.run(sql`UPDATE pgboss.job SET start_after = now() WHERE state = 'retry'`);
  const { mail } = await mailTo(person.email);
  expect(mail.subject).toBe('Verify your email address for Chowk');
});

test('line breaks and markup in names cannot add recipients, headers or tags', async () => {
  const name = 'Evil\r\nBcc: victim@example.com\r\n\r\n<script>alert(1)</script> ਦੁਕਾਨ';
  const acme = await platform.tenant({ name });
  const person = await platform.person({ tenant: acme, verified: false, name: 'A\r\nCc: other@example.com <b>' });
  await person.post('/api/v1/profile/email/resend-verification');
  const { recipients, mail, raw } = await mailTo(person.email);
  expect(recipients).toEqual([person.email]);
  expect({ to: mail.to, cc: mail.cc, bcc: mail.bcc }).toEqual({ to: [{ name: '', address: person.email }] });
  const [head = ''] = raw.split('\r\n\r\n');
  expect(head).not.toMatch(/^(Bcc|Cc):/im);
  expect(mail.subject).toBe(
    'Verify your email address for Evil Bcc: victim@example.com <script>alert(1)</script> ਦੁਕਾਨ',
  );
  expect(mail.html).not.toContain('<script');
  expect(mail.html).not.toContain('<b>');
  expect(mail.html).toContain('ਦੁਕਾਨ');
});
