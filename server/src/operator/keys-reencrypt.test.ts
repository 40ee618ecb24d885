import { createHmac } from 'node:crypto';
import { sql } from '@chowk/kit/kernel';
import { expect, inject, test } from 'vitest';
import { type AccountsPlatform, startAccounts, testPassword } from '../../testing/accounts.ts';
import { chowkd } from '../../testing/chowkd.ts';
import { testSecrets } from '../../testing/test-config.ts';
import { SecretBox } from '../secrets.ts';

const keys = ['test', 'second', 'third'].map((name) => Buffer.alloc(32, name)) as [Buffer, Buffer, Buffer];
const [first, second, third] = keys;
const base64 = (key: Buffer) => key.toString('base64');

const platform = await startAccounts();
const { db, database } = platform.kernel.central;
const acme = await platform.tenant();
const owner = await platform.person({ tenant: acme });

/** The one-time password of a secret in base32 (RFC 6238), some periods later. */
function oneTimePassword(secret: string, periodsLater: number): string {
  const bits = [...secret].map((letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  );
  const key = Buffer.from((bits.join('').match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + periodsLater));
  const digest = createHmac('sha1', key).update(counter).digest();
  const number = digest.readUInt32BE((digest.at(-1) as number) & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, '0');
}

/** Runs a command as an operator with these keys does. */
function run(command: string, [current, ...previous]: Buffer[], environment: Record<string, string> = {}) {
  const { port, user, password } = inject('server');
  return chowkd(command.split(' '), {
    DATABASE_URL: `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`,
    STORAGE_PATH: platform.kernel.config.storagePath,
    APP_KEY: base64(current as Buffer),
    ...(previous.length > 0 ? { APP_PREVIOUS_KEYS: previous.map(base64).join(',') } : {}),
    LOG_LEVEL: 'silent',
    ...environment,
  });
}

const restart = (current: Buffer, ...previous: Buffer[]) =>
  startAccounts({ sharedWith: platform, secrets: new SecretBox(current, ...previous) });

async function signIn(on: AccountsPlatform, otp: string): Promise<number> {
  const payload = { email: owner.email, password: testPassword, otp };
  return (await on.request({ method: 'POST', url: '/api/v1/auth/login', payload })).status;
}

const keyIdsInUse = async () => {
  const [tenant, central] = await Promise.all([
    acme.db.rows<{ id: string }>(sql`
      SELECT split_part(secret, '.', 2) AS id FROM webhooks UNION SELECT split_part(response, '.', 2) FROM idempotency_keys`),
    db.rows<{ id: string }>(sql`
      SELECT split_part(two_factor_secret, '.', 2) AS id FROM users WHERE two_factor_secret IS NOT NULL
      UNION SELECT split_part(private_sealed, '.', 2) FROM signing_keys
      UNION SELECT split_part(coalesce(data->'data'->>'sealed', data->'data'->>'message'), '.', 2) FROM pgboss.job
        WHERE name = 'dead'`),
  ]);
  return [...new Set([...tenant, ...central].map(({ id }) => id))];
};

test('after two rotations and a re-encryption, everything is readable with the newest key alone', async () => {
  const { body: setup } = await owner.post('/api/v1/profile/two-factor', { password: testPassword });
  expect(
    (await owner.post('/api/v1/profile/two-factor/confirm', { otp: oneTimePassword(setup.secret, -1) })).status,
  ).toBe(200);
  const webhook = { url: 'https://example.com/hook', events: ['order.created'] };
  expect((await owner.post('/api/v1/webhooks', webhook, { 'idempotency-key': 'one' })).status).toBe(201);
  const mail = { sealed: testSecrets.seal('mail', 'a mail') };
  await platform.kernel.jobs.addDead({ job: 'kernel.mail', tenant: '', data: mail, requestId: 'x' }, 'mail', 'refused');
  const message = { message: testSecrets.seal('module notifications', 'a message', `${acme.id} message`) };
  const push = { job: 'notifications.push', tenant: acme.id, data: message, requestId: 'x' };
  await platform.kernel.jobs.addDead(push, 'push', 'refused');
  expect(await keyIdsInUse()).toEqual([testSecrets.keyIds[0]]);

  await restart(second, first);
  const lacking = await run('tenant:list', [third, second]);
  expect(lacking).toMatchObject({ code: 1, err: expect.stringMatching(/APP_PREVIOUS_KEYS/) });

  const { code: exit, out, err } = await run('keys:reencrypt', [third, second], { APP_PREVIOUS_KEY: base64(first) });
  expect({ exit, err }, err).toMatchObject({ exit: 0 });
  expect(out).toContain('The previous keys can be removed.');
  expect(await keyIdsInUse()).toEqual([new SecretBox(third).keyIds[0]]);

  const after = await restart(third);
  expect(await signIn(after, oneTimePassword(setup.secret, 0))).toBe(200);
  const repeated = await run('keys:reencrypt --json', [third]);
  expect(repeated.code).toBe(0);
  expect(JSON.parse(repeated.out)).toContainEqual({ table: 'users', reencrypted: 0, unreadable: 0 });
  const dead = await db.row<{ message: string }>(sql`
    SELECT data->'data'->>'message' AS message FROM pgboss.job WHERE name = 'dead' AND data->>'job' = 'notifications.push'`);
  const opened = new SecretBox(third).open('module notifications', dead?.message ?? '', `${acme.id} message`);
  expect(opened).toBe('a message');
});

test('a secret that no key opens is reported by the doctor, and the re-encryption does not succeed', async () => {
  const lost = new SecretBox(Buffer.alloc(32, 'lost'));
  await acme.db.run(sql`UPDATE webhooks SET secret = ${lost.seal('module webhooks', 'x', 'x')}`);
  const doctor = await run('tenant:doctor --json', [third]);
  expect(doctor.code).toBe(1);
  expect(JSON.parse(doctor.out)).toContainEqual(
    expect.objectContaining({
      problem: 'unknown key',
      subject: `${acme.id}: 1 in webhooks, encrypted with ${lost.keyIds[0]}`,
    }),
  );
  const reencryption = await run('keys:reencrypt --json', [third]);
  expect(reencryption).toMatchObject({ code: 1, err: expect.stringMatching(/unknown key/) });
  expect(JSON.parse(reencryption.out)).toContainEqual({ table: 'webhooks', reencrypted: 0, unreadable: 1 });
});

test('while processes get a new key one after the other, each opens what another has encrypted', async () => {
  const other = await platform.tenant();
  const person = await platform.person({ tenant: other });
  const [before, after] = [await restart(third, second), await restart(second, third)];
  const payload = { email: person.email, password: testPassword };
  const login = await before.request({ method: 'POST', url: '/api/v1/auth/login', payload });
  const hook = async (on: AccountsPlatform, url: string) => {
    const payload = { url, events: ['order.created'] };
    const headers = {
      authorization: `Bearer ${login.body.access_token}`,
      'x-tenant': other.id,
      'idempotency-key': url,
    };
    const { status, body } = await on.request({ method: 'POST', url: '/api/v1/webhooks', headers, payload });
    return { status, secret: body.secret ?? body.webhook?.secret };
  };
  for (const [index, [writer, reader]] of [
    [before, after],
    [after, before],
  ].entries()) {
    const url = `https://example.com/${index}`;
    const written = await hook(writer as AccountsPlatform, url);
    expect(written.status).toBe(201);
    // The stored response of the key is encrypted.
    expect(await hook(reader as AccountsPlatform, url)).toEqual(written);
  }
});
