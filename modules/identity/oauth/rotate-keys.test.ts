import { sql } from '@chowk/kit';
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { expect, inject, test } from 'vitest';
import { type AccountsPlatform, startAccounts } from '../../../server/testing/accounts.ts';
import { chowkd } from '../../../server/testing/chowkd.ts';
import { getAccounts } from '../accounts/accounts.ts';

const platform = await startAccounts();
const secondProcess = await startAccounts({ sharedWith: platform });
const acme = await platform.tenant();
const { db, database } = platform.kernel.central;

async function rotate(...options: string[]) {
  const { port, user, password } = inject('server');
  return chowkd(['keys:rotate', ...options], {
    DATABASE_URL: `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`,
    STORAGE_PATH: platform.kernel.config.storagePath,
    APP_KEY: Buffer.alloc(32, 'test').toString('base64'),
    LOG_LEVEL: 'silent',
  });
}

async function requestStatus(token: string, on: AccountsPlatform): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'x-tenant': acme.id };
  return (await on.request({ method: 'GET', url: '/api/v1/settings', headers })).status;
}

async function published(on: AccountsPlatform) {
  const { body } = await on.request({ method: 'GET', url: '/.well-known/jwks.json' });
  return body as { keys: { kid: string }[] };
}

test('after a rotation the old key stays trusted until it is revoked', async () => {
  const before = await platform.person({ tenant: acme });
  const old = decodeProtectedHeader(before.accessToken).kid;
  for (const on of [platform, secondProcess]) expect(await requestStatus(before.accessToken, on)).toBe(200);

  const { code, out, err } = await rotate('--json');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const [current] = JSON.parse(out) as { kid: string }[];
  expect(JSON.parse(out)).toEqual([
    { kid: expect.not.stringMatching(old as string), state: 'signs' },
    { kid: old, state: 'still trusted' },
  ]);

  for (const on of [platform, secondProcess]) {
    await expect.poll(async () => (await published(on)).keys.map(({ kid }) => kid)).toEqual([current?.kid, old]);
    const after = await on.person({ tenant: acme });
    expect(decodeProtectedHeader(after.accessToken).kid).toBe(current?.kid);
    expect(await requestStatus(after.accessToken, platform)).toBe(200);
    expect(await requestStatus(before.accessToken, on)).toBe(200);
    const keys = createLocalJWKSet((await published(on)) as never);
    for (const token of [before.accessToken, after.accessToken]) await jwtVerify(token, keys);
  }

  const revoking = await rotate('--revoke', '--json');
  expect(JSON.parse(revoking.out).map(({ state }: { state: string }) => state)).toEqual([
    'signs',
    'revoked',
    'revoked',
  ]);
  for (const on of [platform, secondProcess]) {
    await expect.poll(() => requestStatus(before.accessToken, on), { timeout: 1_000 }).toBe(401);
    expect((await published(on)).keys).toHaveLength(1);
  }
  const renewed = await secondProcess.person({ tenant: acme });
  expect(await requestStatus(renewed.accessToken, platform)).toBe(200);
});

test('a retired key is trusted until it expires, even without a notification', async () => {
  const { accessToken } = await platform.person({ tenant: acme });
  await getAccounts(platform.kernel.services).keys.rotate({ revoke: false });
  await db.run(sql`
    UPDATE signing_keys SET trusted_until = now() + interval '1.5 seconds' WHERE retired_at IS NOT NULL
      AND trusted_until > now()`);
  await expect.poll(async () => (await published(secondProcess)).keys.length).toBe(2);
  expect(await requestStatus(accessToken, secondProcess)).toBe(200);
  await expect.poll(() => requestStatus(accessToken, secondProcess), { timeout: 5_000 }).toBe(401);
  expect((await published(secondProcess)).keys).toHaveLength(1);
});

test('the command prints a table without --json and reports wrong usage', async () => {
  const { code, out } = await rotate();
  expect(code).toBe(0);
  expect(out).toMatch(/kid\s+state/i);
  expect(out).toMatch(/still trusted/);
  expect((await rotate('now')).code).toBe(2);
});
