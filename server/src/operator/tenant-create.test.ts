import { sql } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { startAccounts } from '../../testing/accounts.ts';
import { uniqueId } from '../../testing/platform.ts';
import type { Session } from './command.ts';
import { tenantCreateCommand } from './tenant-create.ts';

const platform = await startAccounts();
const { kernel } = platform;

async function create(id: string, owner: string): Promise<string[]> {
  const said: string[] = [];
  const session: Session = {
    config: kernel.config,
    kernel: async () => kernel,
    say: (line) => void said.push(line),
    progress() {},
    table() {},
    ask: async () => undefined,
  };
  await tenantCreateCommand.run(session, { positionals: [id], options: { owner } });
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

test('a user with a verified address becomes the owner at once', async () => {
  const [id, asha] = [uniqueId(), await platform.person()];
  expect((await create(id, asha.email)).at(-1)).toBe(`${asha.email} owns it and can sign in.`);
  expect((await asha.get('/api/v1/auth/me', { 'x-tenant': id })).body.role).toBe('Owner');
});

test('a user with an unverified address is refused, and nothing is created', async () => {
  const [id, stranger] = [uniqueId(), await platform.person({ verified: false })];
  await expect(create(id, stranger.email)).rejects.toThrow(
    `${stranger.email} belongs to a user who has not verified it.`,
  );
  expect(await kernel.central.db.row(sql`SELECT FROM tenants WHERE id = ${id}`)).toBeUndefined();
  expect(await kernel.databases.exists(`tenant${id}`)).toBe(false);
});

test('a wrong address is refused before anything is created', async () => {
  const id = uniqueId();
  await expect(create(id, 'asha')).rejects.toThrow(/email/);
  expect(await kernel.central.db.row(sql`SELECT FROM tenants WHERE id = ${id}`)).toBeUndefined();
});
