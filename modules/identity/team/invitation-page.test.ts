import { expect, test } from 'vitest';
import { startAccounts, testPassword } from '../../../server/testing/accounts.ts';

const platform = await startAccounts();
const acme = await platform.tenant({ name: 'Acme <Stores>' });
const owner = await platform.person({ tenant: acme });

async function invite(email: string): Promise<string> {
  expect((await owner.post('/api/v1/invitations', { email, role: 'Agent' })).status).toBe(201);
  const { text } = await platform.mailTo(email, /invited/);
  return new URL(/http\S+/.exec(text)?.[0] ?? '').pathname;
}

const open = (url: string) => platform.request({ method: 'GET', url });
const send = (url: string, fields: Record<string, string>) =>
  platform.request({
    method: 'POST',
    url,
    payload: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });

test('the form of the mailed link creates a membership', async () => {
  const link = await invite('ravi@example.com');
  const shown = await open(link);
  expect(shown.status).toBe(200);
  expect(shown.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(shown.body).toContain('Acme &#60;Stores&#62;');
  expect(shown.body).toContain('name="password_confirmation"');
  const account = { name: 'Ravi', password: testPassword, password_confirmation: testPassword };
  const wrong = await send(link, { ...account, password_confirmation: 'another one' });
  expect(wrong.status).toBe(422);
  expect(wrong.body).toContain('The password confirmation does not match.');
  expect(wrong.body).toContain('value="Ravi"');
  const { status, body } = await send(link, account);
  expect(status).toBe(200);
  expect(body).toContain('ravi@example.com');
  const login = { email: 'ravi@example.com', password: testPassword };
  const signedIn = await platform.request({ method: 'POST', url: '/api/v1/auth/login', payload: login });
  expect(signedIn.status).toBe(200);
  expect((await open(link)).status).toBe(404);
  expect((await send(link, account)).status).toBe(422);
});

test('an invited person with an account is asked for its password', async () => {
  const mina = await platform.person();
  const link = await invite(mina.email);
  const shown = await open(link);
  expect(shown.body).toContain('Password of the account');
  expect(shown.body).not.toContain('name="password_confirmation"');
  expect((await send(link, { password: 'wrong password' })).status).toBe(422);
  expect((await send(link, { password: testPassword })).status).toBe(200);
  const { body } = await mina.get('/api/v1/auth/me');
  expect(body.tenants).toMatchObject([{ id: acme.id, role: 'Agent' }]);
});
