import { sql } from '@chowk/kit';
import { generate } from 'otplib';
import { expect, test } from 'vitest';
import { type Person, startAccounts, testPassword } from '../../../server/testing/accounts.ts';
import type { TestTenant } from '../../../server/testing/platform.ts';
import { getAccounts } from '../accounts/accounts.ts';
import { addMember } from '../accounts/users.ts';

/* A personal access token never has more rights than its user. */

const platform = await startAccounts();
const { central } = platform.kernel;
const { sessions } = getAccounts(platform.kernel.services);
const acme = await platform.tenant();
const owner = await platform.person({ tenant: acme });
const tokens = '/api/v1/profile/tokens';

const newToken = async (person: Person) => (await person.post(tokens, { name: 'script' })).body.access_token;
const status = async (token: string, { id }: TestTenant = acme) => {
  const headers = { authorization: `Bearer ${token}`, 'x-tenant': id };
  return (await platform.request({ url: '/api/v1/products', headers })).status;
};
const age = async (person: Person) => {
  await central.db.run(sql`
    UPDATE sessions SET authenticated_at = now() - interval '16 minutes' WHERE user_id = ${person.id}`);
  sessions.invalidateUser(person.id);
};

test('the token of a disabled user is refused', async () => {
  const person = await platform.person({ tenant: acme });
  const token = await newToken(person);
  expect(await status(token)).toBe(200);
  await central.db.run(sql`UPDATE users SET disabled_at = now() WHERE id = ${person.id}`);
  await expect.poll(() => status(token)).toBe(401);
});

test('a token ends with the membership of its user', async () => {
  const person = await platform.person({ tenant: acme, role: 'Agent' });
  const token = await newToken(person);
  expect(await status(token)).toBe(200);
  expect((await owner.delete(`/api/v1/team/${person.id}`)).status).toBe(200);
  await expect.poll(() => status(token)).toBe(401);
});

test('a token stays valid in other tenants and is not revived by a new membership', async () => {
  const person = await platform.person({ tenant: acme, role: 'Agent' });
  const other = await platform.tenant();
  await addMember(central.db, { userId: person.id, tenantId: other.id, role: 'Agent' });
  const token = await newToken(person);
  expect([await status(token), await status(token, other)]).toEqual([200, 200]);
  expect((await owner.delete(`/api/v1/team/${person.id}`)).status).toBe(200);
  await expect.poll(() => status(token)).toBe(403);
  await addMember(central.db, { userId: person.id, tenantId: acme.id, role: 'Agent' });
  await expect.poll(async () => (await person.get('/api/v1/products')).status).toBe(200);
  expect([await status(token), await status(token, other)]).toEqual([403, 200]);
  expect(await status(await newToken(person))).toBe(200);
});

test('15 minutes after the sign-in, a token needs the password', async () => {
  const person = await platform.person({ tenant: acme });
  await age(person);
  const create = (more: object) => person.post(tokens, { name: 'script', ...more });
  expect((await create({})).body.error_codes).toEqual({ password: ['required'] });
  expect((await create({ name: '' })).body.error_codes).toEqual({ name: ['too_short'], password: ['required'] });
  expect((await create({ password: 'wrong' })).body.error_codes).toEqual({ password: ['invalid'] });
  expect((await create({ password: testPassword })).status).toBe(201);
});

test('a code of the authenticator app confirms the person too', async () => {
  const person = await platform.person({ tenant: acme });
  const { secret } = (await person.post('/api/v1/profile/two-factor', {})).body;
  const { recovery_codes } = (
    await person.post('/api/v1/profile/two-factor/confirm', { otp: await generate({ secret }) })
  ).body;
  await age(person);
  const create = (otp: string) => person.post(tokens, { name: 'script', otp });
  expect((await create('000000')).body.error_codes).toEqual({ otp: ['invalid'] });
  expect((await create(recovery_codes[0])).status).toBe(201);
  expect((await create(recovery_codes[0])).body.error_codes).toEqual({ otp: ['invalid'] });
});

test('a request that is refused for another reason does not use up the code', async () => {
  const person = await platform.person({ tenant: acme });
  const { secret } = (await person.post('/api/v1/profile/two-factor', {})).body;
  const { recovery_codes } = (
    await person.post('/api/v1/profile/two-factor/confirm', { otp: await generate({ secret }) })
  ).body;
  await age(person);
  const create = (more: object) => person.post(tokens, { name: 'script', otp: recovery_codes[0], ...more });
  expect((await create({ name: '' })).body.error_codes).toEqual({ name: ['too_short'] });
  expect((await create({ scopes: ['orders.fly'] })).body.error_codes).toEqual({ 'scopes.0': ['not_allowed'] });
  expect((await create({})).status).toBe(201);
});

test('each wrong password of a confirmation counts once', async () => {
  const person = await platform.person({ tenant: acme });
  const statuses = [];
  for (let tries = 0; tries < 11; tries += 1) {
    statuses.push((await person.post(tokens, { name: 'script', password: `guess ${tries}` })).status);
  }
  expect(statuses).toEqual([...Array(10).fill(422), 429]);
  expect((await person.post('/api/v1/profile/two-factor', { password: testPassword })).status).toBe(429);
});
