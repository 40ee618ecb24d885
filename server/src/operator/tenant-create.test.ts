import { sql } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { startAccounts } from '../../testing/accounts.ts';
import { uniqueId } from '../../testing/platform.ts';
import type { Session } from './command.ts';
import { tenantCreateCommand } from './tenant-create.ts';

const platform = await startAccounts();
const { kernel } = platform;

async function create(id: string, owner?: string, options: Record<string, string> = {}): Promise<string[]> {
  const said: string[] = [];
  const session: Session = {
    config: kernel.config,
    environment: {},
    kernel: async () => kernel,
    say: (line) => void said.push(line),
    progress() {},
    table() {},
    ask: async () => undefined,
    bootOn: async () => kernel,
  };
  await tenantCreateCommand.run(session, {
    positionals: [id],
    options: { ...(owner === undefined ? {} : { owner }), ...options },
  });
  return said;
}

test('a new owner gets a mail with a link to choose a password', async () => {
  const [id, email] = [uniqueId(), `${uniqueId()}@example.com`];
  const said = await create(id, email.toUpperCase());
  expect(said.at(-1)).toBe(`${email} owns it and gets a mail with a link to choose a password.`);
  const { text } = await platform.mailTo(email, /password/);
  const token = /\/password\/reset\/([\w-]+)/.exec(text)?.[1];
  const [password, payload] = ['a long new passphrase', { token, email }];
  const reset = { ...payload, password, password_confirmation: password };
  expect(await platform.request({ method: 'POST', url: '/api/v1/auth/password/reset', payload: reset })).toMatchObject({
    status: 200,
  });
  const signedIn = await platform.request({ method: 'POST', url: '/api/v1/auth/login', payload: { email, password } });
  const headers = { authorization: `Bearer ${signedIn.body.access_token}`, 'x-tenant': id };
  expect((await platform.request({ url: '/api/v1/auth/me', headers })).body).toMatchObject({ email, role: 'Owner' });
});

test.each([true, false])(
  'a user with an account becomes the owner only after agreeing (verified: %s)',
  async (verified) => {
    const [id, asha] = [uniqueId(), await platform.person({ verified })];
    const said = await create(id, asha.email);
    expect(said.at(-1)).toBe(`${asha.email} has an account and gets a mail with a link to agree to own it.`);
    const me = () => asha.get('/api/v1/auth/me', { 'x-tenant': id });
    expect((await me()).status).toBe(403);
    const { text } = await platform.mailTo(asha.email, /^Do you want to own/);
    const token = /invitations\/([\w-]+)/.exec(text)?.[1];
    expect((await asha.post(`/api/v1/invitations/${token}/accept`)).status).toBe(200);
    expect((await me()).body.role).toBe('Owner');
  },
);

test('a disabled account cannot own a tenant, and nothing is created', async () => {
  const [id, asha] = [uniqueId(), await platform.person()];
  await kernel.central.db.run(sql`UPDATE users SET disabled_at = now() WHERE id = ${asha.id}`);
  await expect(create(id, asha.email)).rejects.toThrow(`The account ${asha.email} is disabled.`);
  expect(await kernel.central.db.row(sql`SELECT FROM tenants WHERE id = ${id}`)).toBeUndefined();
  expect(await kernel.databases.exists(`tenant${id}`)).toBe(false);
});

test('a wrong address is refused before anything is created', async () => {
  const id = uniqueId();
  await expect(create(id, 'asha')).rejects.toThrow(/email/);
  expect(await kernel.central.db.row(sql`SELECT FROM tenants WHERE id = ${id}`)).toBeUndefined();
});

const region = async (id: string) => {
  const values = await kernel.settings.get(id);
  return [values['general.country'], values['general.currency'], values['general.timezone'], values['general.locale']];
};

test('country, currency and time zone are taken from the options, and what is missing is derived', async () => {
  const [swiss, british] = [uniqueId(), uniqueId()];
  expect(await create(swiss, undefined, { country: 'ch' })).toContain('  country CH, CHF, time zone Europe/Zurich');
  expect(await region(swiss)).toEqual(['CH', 'CHF', 'Europe/Zurich', 'en-CH']);
  await create(british, undefined, { timezone: 'Europe/London', currency: 'EUR' });
  expect(await region(british)).toEqual(['GB', 'EUR', 'Europe/London', 'en-GB']);
});

test.each([
  [{ country: 'XX' }, 'There is no country XX.'],
  [{ currency: 'ABC' }, 'There is no currency ABC.'],
  [{ timezone: 'Mars/Base' }, 'time zone'],
])('%j is refused, and nothing is created', async (options, message) => {
  const id = uniqueId();
  const error = await create(id, undefined, options).catch((failure: unknown) => failure);
  expect(JSON.stringify(error)).toContain(message);
  expect(await kernel.central.db.row(sql`SELECT FROM tenants WHERE id = ${id}`)).toBeUndefined();
});

test('every new tenant is where the organization that runs the platform is', async () => {
  await create(uniqueId(), undefined, { role: 'platform_owner', country: 'NZ', timezone: 'Pacific/Auckland' });
  const id = uniqueId();
  await create(id);
  const { id: signedUp } = await platform.tenant();
  for (const one of [id, signedUp]) expect(await region(one)).toEqual(['NZ', 'NZD', 'Pacific/Auckland', 'en-NZ']);
});
