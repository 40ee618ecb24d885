import { expect, onTestFinished, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';
import { routes } from './routes.ts';

const platform = await startPlatform();
const acme = await platform.tenant();
const permissions = ['view', 'reply', 'assign', 'close', 'delete', 'export'].map((verb) => `conversations.${verb}`);
const anything = '0190a000-0000-7000-8000-000000000000';

const calls = routes.map(({ method, path, needs = '' }) => ({
  name: `${method} ${path}`,
  needs,
  request: { method, url: `/api/v1${path.replace(/:\w+/g, anything)}` } as const,
}));

test.each(calls)('$name needs $needs and nothing else', async ({ needs, request }) => {
  expect(permissions).toContain(needs);
  const others = acme.caller(...permissions.filter((one) => one !== needs));
  const { status, body } = await others.request(request);
  expect({ status, code: body.code }).toEqual({ status: 403, code: 'auth.forbidden' });
  expect((await acme.caller(needs).request(request)).status).not.toBe(403);
});

test('a tenant without the module has none of it', async () => {
  await platform.kernel.installations.set(acme.id, 'conversations', 'disabled');
  onTestFinished(() => platform.kernel.installations.set(acme.id, 'conversations', 'enabled'));
  const owner = acme.caller(...permissions);
  for (const { request } of calls) {
    const { status, body } = await owner.request(request);
    expect({ status, code: body.code }).toEqual({ status: 404, code: 'http.not_found' });
  }
});

test('a conversation is begun once for one Idempotency-Key', async () => {
  const agent = acme.caller('conversations.reply');
  const body = { customer: { first_name: 'Asha' }, channel: 'phone' };
  const key = { 'idempotency-key': 'k1' };
  const first = await agent.post('/api/v1/conversations', body, key);
  const second = await agent.post('/api/v1/conversations', body, key);
  expect({ status: second.status, body: second.body }).toEqual({ status: 201, body: first.body });
});
