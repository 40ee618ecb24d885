import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from '@chowk/kit';
import { beforeEach, expect, test } from 'vitest';
import { SecretBox } from '../../../server/src/secrets.ts';
import { startPlatform } from '../../../server/testing/platform.ts';
import { getAccounts } from './accounts.ts';
import { SigningKeys } from './signing-keys.ts';

const platform = await startPlatform();
const secondProcess = await startPlatform({ sharedWith: platform });
const { central, config, signals } = platform.kernel;
const { keys } = getAccounts(platform.kernel.services);
const file = (name: string) => join(config.storagePath, name);
const kids = async (source = keys) => (await source.list()).map(({ kid }) => kid);

beforeEach(async () => {
  await central.db.run(sql`DELETE FROM signing_keys`);
  await signals.waitUntilApplied();
  await rm(file('oauth-private.key'), { force: true });
  await rm(file('oauth-public.key'), { force: true });
});

test('the key pair is created once and written to the storage folder, the private key readable by its owner only', async () => {
  expect(await keys.ensure()).toEqual({ created: true });
  const [kid] = await kids();
  const pem = await readFile(file('oauth-private.key'), 'utf8');
  expect(createPublicKey(pem).export({ type: 'spki', format: 'pem' })).toBe(
    await readFile(file('oauth-public.key'), 'utf8'),
  );
  expect((await stat(file('oauth-private.key'))).mode & 0o777).toBe(0o600);
  expect(await keys.ensure()).toEqual({ created: false });
  expect(await kids()).toEqual([kid]);
  expect(await readFile(file('oauth-private.key'), 'utf8')).toBe(pem);
});

test('an existing key pair in the storage folder is used', async () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  await writeFile(file('oauth-private.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  expect(await keys.ensure()).toEqual({ created: false });
  const [jwk] = await keys.list();
  expect(jwk?.n).toBe(privateKey.export({ format: 'jwk' }).n);
});

test('missing key files are written again', async () => {
  await keys.ensure();
  const pem = await readFile(file('oauth-private.key'), 'utf8');
  await rm(file('oauth-private.key'));
  await keys.ensure();
  expect(await readFile(file('oauth-private.key'), 'utf8')).toBe(pem);
});

test('published keys have no private part', async () => {
  await keys.ensure();
  const [jwk] = await keys.list();
  expect(Object.keys(jwk ?? {}).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
  const dump = JSON.stringify(await central.db.rows(sql`SELECT * FROM signing_keys`));
  expect(dump).not.toContain('PRIVATE KEY');
});

test('after a rotation the new key signs and the old key stays trusted, in every process', async () => {
  await keys.ensure();
  const [first] = await kids();
  const { kid } = await keys.rotate({ revoke: false });
  expect(await kids()).toEqual([kid, first]);
  await expect.poll(() => kids(getAccounts(secondProcess.kernel.services).keys)).toEqual([kid, first]);
  const third = await keys.rotate({ revoke: true });
  expect(await kids()).toEqual([third.kid]);
});

test('with another APP_KEY the key pair in the storage folder is used', async () => {
  await keys.ensure();
  const parts = { central: central.db, signals, secrets: new SecretBox(Buffer.alloc(32, 'other')) };
  const other = new SigningKeys({ ...parts, storagePath: config.storagePath });
  expect((await other.get())?.current?.kid).toBe((await kids())[0]);
  const elsewhere = new SigningKeys({ ...parts, storagePath: '/nowhere' });
  await expect(elsewhere.get()).rejects.toThrow(/APP_KEY/);
});

test('a key that is not an RSA key is refused', async () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  await writeFile(file('oauth-private.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  await expect(keys.ensure()).rejects.toThrow(/not an RSA key/);
});
