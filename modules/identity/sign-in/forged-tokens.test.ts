import {
  constants,
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomUUID,
  sign,
} from 'node:crypto';
import { sql } from '@chowk/kit';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { expect, inject, test } from 'vitest';
import { startAccounts } from '../../../server/testing/accounts.ts';

const platform = await startAccounts();
const acme = await platform.tenant();
const asha = await platform.person({ tenant: acme });
const { url } = platform.kernel.services;

const own = createPrivateKey(inject('signingKey'));
const foreign = generateKeyPairSync('rsa', { modulusLength: 2048 });
const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const header = decodeProtectedHeader(asha.accessToken) as Record<string, unknown>;
const claims = decodeJwt(asha.accessToken) as Record<string, unknown>;
const [h = '', p = '', s = ''] = asha.accessToken.split('.');

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
/** A token with a valid signature of the key. */
function signed(head: object, body: object, key = own): string {
  const text = `${encode(head)}.${encode(body)}`;
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
}
/** Signed with the platform's key but another algorithm. */
function signedAs(alg: string, digest: string, padding: number = constants.RSA_PKCS1_PADDING): string {
  const text = `${encode({ ...header, alg })}.${p}`;
  return `${text}.${sign(digest, Buffer.from(text), { key: own, padding, saltLength: 32 }).toString('base64url')}`;
}
const withClaims = (changes: Record<string, unknown>) => signed(header, { ...claims, ...changes });
const withHeader = (changes: Record<string, unknown>, key = own) => signed({ ...header, ...changes }, claims, key);
const without = (name: string) =>
  signed(header, Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name)));
const now = Math.floor(Date.now() / 1_000);
const publicPem = createPublicKey(own).export({ type: 'spki', format: 'pem' }) as string;
const hs256 = (secret: string) => {
  const text = `${encode({ ...header, alg: 'HS256' })}.${p}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
};
const flip = (text: string, at: number) => text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);

async function status(token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'x-tenant': acme.id };
  return (await platform.request({ method: 'GET', url: '/api/v1/auth/me', headers })).status;
}

test('the token that the forgeries are derived from is valid', async () => {
  expect(await status(asha.accessToken)).toBe(200);
  expect(await status(signed(header, { ...claims, jti: randomUUID() }))).toBe(200);
});

test.each([
  ['no signature and alg none', `${encode({ ...header, alg: 'none' })}.${p}.`],
  ['alg none in capitals', `${encode({ ...header, alg: 'NONE' })}.${p}.`],
  ['alg none with the old signature', `${encode({ ...header, alg: 'none' })}.${p}.${s}`],
  ['HS256 with the public key as secret', hs256(publicPem)],
  ['HS256 with an empty secret', hs256('')],
  ['RS384 said, RS256 signed', withHeader({ alg: 'RS384' })],
  ['PS256 said', withHeader({ alg: 'PS256' })],
  ['our key and RS512', signedAs('RS512', 'sha512')],
  ['our key and PS256', signedAs('PS256', 'sha256', constants.RSA_PKCS1_PSS_PADDING)],
  ['a signature on a curve', withHeader({ alg: 'ES256' }, curve.privateKey)],
  ['a foreign key under our kid', withHeader({}, foreign.privateKey)],
  ['a foreign key under its own kid', withHeader({ kid: 'mine' }, foreign.privateKey)],
  ['no kid', signed({ alg: 'RS256', typ: 'at+jwt' }, claims)],
  ['a kid that is a path', withHeader({ kid: '../../oauth-public.key' })],
  ['a kid that is SQL', withHeader({ kid: "' OR '1'='1" })],
  ['a kid that is a number', withHeader({ kid: 7 })],
  ['its own key in the header', withHeader({ jwk: foreign.publicKey.export({ format: 'jwk' }) }, foreign.privateKey)],
  ['an address of its own keys', withHeader({ jku: 'https://evil.example/jwks.json' }, foreign.privateKey)],
  ['an unknown critical header', withHeader({ crit: ['exp2'], exp2: 1 })],
  ['the type of any JWT', withHeader({ typ: 'JWT' })],
  ['no type', signed({ alg: 'RS256', kid: header.kid }, claims)],
  ['another audience', withClaims({ aud: 'https://other.example' })],
  ['no audience', without('aud')],
  ['another issuer', withClaims({ iss: 'https://other.example' })],
  ['an issuer with a slash more', withClaims({ iss: `${url}/` })],
  ['an expired token', withClaims({ exp: now - 1 })],
  ['no end', without('exp')],
  ['an end that is text', withClaims({ exp: 'never' })],
  ['a beginning in the future', withClaims({ nbf: now + 600 })],
  ['another user than its session', withClaims({ sub: String(asha.id + 1) })],
  ['a subject that is no number', withClaims({ sub: '1 OR 1=1' })],
  ['no subject', without('sub')],
  ['no session', without('sid')],
  ['a session that is not there', withClaims({ sid: randomUUID() })],
  ['a session that is no id', withClaims({ sid: "x'" })],
  ['no client', without('client_id')],
  ['a changed payload', `${h}.${encode({ ...claims, sub: '999999' })}.${s}`],
  ['a changed header', `${encode({ ...header, x: 1 })}.${p}.${s}`],
  ['a flipped bit in the signature', `${h}.${p}.${flip(s, 10)}`],
  ['half a signature', `${h}.${p}.${s.slice(0, s.length / 2)}`],
  ['no signature', `${h}.${p}.`],
  ['two parts', `${h}.${p}`],
  ['four parts', `${asha.accessToken}.${s}`],
  ['five parts, as if encrypted', `${h}.${p}.${s}.${p}.${s}`],
  ['no JSON inside', signed(header, claims).replace(/\.[^.]+\./, '.bm90IGpzb24.')],
  ['an array inside', signed(header, [claims])],
  ['padding', `${h}=.${p}=.${s}=`],
  ['a refresh token', asha.refreshToken],
  ['an unknown personal access token', `chowk_pat_${'a'.repeat(43)}`],
  ['a personal access token without its rest', 'chowk_pat_'],
  ['a word', 'token'],
  ['dots', '..'],
  ['very much', `${h}.${'A'.repeat(8_000)}.${s}`],
])('a token with %s is refused', async (_, token) => {
  expect(await status(token)).toBe(401);
});

test.each([
  ['Basic', `Basic ${Buffer.from(`${asha.email}:x`).toString('base64')}`],
  ['no scheme', asha.accessToken],
  ['two tokens', `Bearer ${asha.accessToken} ${asha.accessToken}`],
  ['a token with a comma', `Bearer ${asha.accessToken},`],
  ['nothing', 'Bearer '],
])('an Authorization header with %s is refused with a challenge', async (_, authorization) => {
  const answer = await platform.request({ method: 'GET', url: '/api/v1/auth/me', headers: { authorization } });
  const challenge = /^Bearer +\S/.test(authorization) ? /^Bearer error="invalid_token"/ : /^Bearer resource_metadata=/;
  expect(answer).toMatchObject({ status: 401, headers: { 'www-authenticate': expect.stringMatching(challenge) } });
});

test('a disabled or deleted user loses access at once', async () => {
  const [ravi, mina] = [await platform.person({ tenant: acme }), await platform.person({ tenant: acme })];
  const { db } = platform.kernel.central;
  for (const person of [ravi, mina]) expect(await status(person.accessToken)).toBe(200);
  await db.run(sql`UPDATE users SET disabled_at = now() WHERE id = ${ravi.id}`);
  await db.run(sql`DELETE FROM users WHERE id = ${mina.id}`);
  for (const person of [ravi, mina]) await expect.poll(() => status(person.accessToken)).toBe(401);
});
