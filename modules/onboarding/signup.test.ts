import { sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { startAccounts } from '../../server/testing/accounts.ts';
import { uniqueId } from '../../server/testing/platform.ts';
import { getAccounts } from '../identity/accounts/accounts.ts';

const environment = { APPLICATIONS_PER_MINUTE: '10000' };
const platform = await startAccounts({ environment });
const url = '/api/v1/auth/tenants';
const send = (payload: object, headers = {}) => platform.request({ method: 'POST', url, payload, headers });
const password = 'correct horse battery';
const newUser = (fields: object = {}) => ({
  domain: uniqueId(),
  name: 'Ravi',
  email: `${uniqueId()}@example.com`,
  password,
  password_confirmation: password,
  ...fields,
});

test('a new user creates an organization and is signed in', async () => {
  const form = newUser({ organization_name: 'Tea House' });
  const { status, body } = await send(form);
  expect({ status, body }).toMatchObject({
    status: 201,
    body: {
      message: 'Tea House was created.',
      tenant: { id: form.domain, name: 'Tea House' },
      user: { name: 'Ravi', email: form.email, email_verified: false },
      token_type: 'Bearer',
      expires_in: 900,
      refresh_token: expect.any(String),
    },
  });
  const headers = { authorization: `Bearer ${body.access_token}`, host: `${form.domain}.localhost` };
  expect((await platform.request({ url: '/api/v1/auth/me', headers })).body).toMatchObject({ role: 'Owner' });
  await platform.mailTo(form.email, /Verify/);
});

test('a signed-in user becomes the owner of another organization', async () => {
  const person = await platform.person();
  const domain = uniqueId();
  const { status, body } = await person.post(url, { domain, name: 'Second' });
  expect({ status, body }).toMatchObject({ status: 201, body: { tenant: { id: domain, name: 'Second' } } });
  expect(body).not.toHaveProperty('access_token');
  expect((await person.get('/api/v1/auth/me', { 'x-tenant': domain })).body.role).toBe('Owner');
});

const regionSettings = async (tenantId: string) => {
  const rows = await platform.kernel.central.db.rows<{ key: string; value: string }>(sql`
    SELECT key, value FROM tenant_settings WHERE tenant_id = ${tenantId} AND key ~ '^general[.](country|currency|timezone)$'`);
  return Object.fromEntries(rows.map(({ key, value }) => [key.replace('general.', ''), value]));
};

test.each([
  ['as it is sent', { country: 'CH', currency: 'EUR', timezone: 'UTC' }, 'en-GB', ['CH', 'EUR', 'UTC']],
  ['by the country', { country: 'KE' }, 'en-GB', ['KE', 'KES', 'Africa/Nairobi']],
  ['by the time zone', { timezone: 'Asia/Tokyo' }, 'en-GB', ['JP', 'JPY', 'Asia/Tokyo']],
  ['by the languages of the browser', {}, 'fr-CH, fr;q=0.9', ['CH', 'CHF', 'Europe/Zurich']],
])('the region of an organization is set %s', async (_, region, languages, [country, currency, timezone]) => {
  const form = newUser(region);
  expect((await send(form, { 'accept-language': languages })).status).toBe(201);
  expect(await regionSettings(form.domain)).toEqual({ country, currency, timezone });
});

test("without any sign of the region, it is that of the platform's owner", async () => {
  const owner = await platform.tenant({ role: 'platform_owner' });
  const person = await platform.person({ tenant: owner });
  const settings = { 'general.country': 'NZ', 'general.timezone': 'Pacific/Auckland' };
  expect((await person.patch('/api/v1/settings', settings)).status).toBe(200);
  const form = newUser();
  expect((await send(form)).status).toBe(201);
  expect(await regionSettings(form.domain)).toEqual({ country: 'NZ', currency: 'NZD', timezone: 'Pacific/Auckland' });
});

test('a wrong region is reported with everything else that is wrong', async () => {
  const { body } = await send(newUser({ domain: 'admin', country: 'ZZ', currency: 'ABC', timezone: 'Mars/Base' }));
  expect(body.error_codes).toEqual({
    domain: ['invalid'],
    country: ['unknown'],
    currency: ['unknown'],
    timezone: ['invalid'],
  });
});

test('the slug of the domain is the id', async () => {
  const person = await platform.person();
  const domain = `Café_${uniqueId()}`;
  const { body } = await person.post(url, { domain });
  expect(body.tenant.id).toBe(domain.replace('é', 'e').replace('_', '-').toLowerCase());
});

test('everything wrong is reported at once', async () => {
  const { domain } = (await send(newUser())).body.tenant ?? { domain: '' };
  expect(domain).toBeUndefined();
  const { status, body } = await send({ domain: 'admin', email: 'ravi', password: 'short' });
  expect(status).toBe(422);
  expect(Object.keys(body.errors).sort()).toEqual(['domain', 'email', 'name', 'password', 'password_confirmation']);
  const other = await send(newUser({ password_confirmation: 'another one' }));
  expect(other.body.error_codes).toEqual({ password_confirmation: ['mismatch'] });
});

test('a taken domain and a taken address are refused, and nothing is created', async () => {
  const person = await platform.person();
  const tenant = await platform.tenant();
  const taken = await send(newUser({ domain: tenant.id, email: person.email }));
  expect(taken.body.error_codes).toEqual({ domain: ['taken'], email: ['taken'] });
  const domain = uniqueId();
  expect((await send(newUser({ domain, email: person.email }))).status).toBe(422);
  expect(await platform.kernel.central.db.row(sql`SELECT FROM tenants WHERE id = ${domain}`)).toBeUndefined();
});

test.each([['-'], ['tea house'], ['a'.repeat(64)], ['tea.house'], ['___'], ['']])(
  'the domain %j is refused',
  async (domain) => {
    const { status, body } = await send(newUser({ domain }));
    expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: ['domain'] });
  },
);

test('a domain of 63 characters works', async () => {
  const domain = uniqueId().padEnd(63, 'x');
  const { status, body } = await send(newUser({ domain }));
  expect({ status, id: body.tenant?.id }).toEqual({ status: 201, id: domain });
});

test('of ten sign-ups with the same domain at once, one succeeds', async () => {
  const domain = uniqueId();
  const answers = await Promise.all(Array.from({ length: 10 }, () => send(newUser({ domain }))));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(422)]);
});

test('the operator can close sign-up', async () => {
  const closed = await startAccounts({ environment: { ...environment, PLATFORM_SIGNUP: 'off' }, sharedWith: platform });
  const { status, body } = await closed.request({ method: 'POST', url, payload: newUser() });
  expect({ status, code: body.code }).toEqual({ status: 403, code: 'onboarding.signup_closed' });
});

test('a session that is limited to some permissions cannot create organizations', async () => {
  const { id: userId } = await platform.person({ tenant: await platform.tenant() });
  const client = { address: '', network: '', userAgent: 'test' };
  const { sessions } = getAccounts(platform.kernel.services);
  const limited = { userId, kind: 'device' as const, scopes: ['settings.view'], client };
  const { access_token } = await sessions.open(limited);
  const { body } = await send({ domain: uniqueId() }, { authorization: `Bearer ${access_token}` });
  expect(body.code).toBe('onboarding.sign_in_needed');
});

test('a personal access token cannot create organizations', async () => {
  const person = await platform.person({ tenant: await platform.tenant() });
  const made = await person.post('/api/v1/profile/tokens', { name: 'CI', password });
  const { body } = await send({ domain: uniqueId() }, { authorization: `Bearer ${made.body.access_token}` });
  expect(body.code).toBe('onboarding.sign_in_needed');
});
