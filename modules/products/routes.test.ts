import { expect, onTestFinished, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';
import { routes } from './routes.ts';

const platform = await startPlatform();
const acme = await platform.tenant();
const permissions = ['view', 'create', 'edit', 'delete', 'import', 'export'].map((verb) => `products.${verb}`);
const anything = '0190a000-0000-7000-8000-000000000000';

const calls = routes.map(({ method, path, needs = '', accepts }) => ({
  name: `${method} ${path}`,
  needs,
  request: {
    method,
    url: `/api/v1${path.replace(/:\w+/g, anything)}`,
    ...(accepts === 'csv' ? { payload: 'sku\n', headers: { 'content-type': 'text/csv' } } : {}),
  } as const,
}));

test.each(calls)('$name needs $needs and nothing else', async ({ needs, request }) => {
  expect(permissions).toContain(needs);
  const others = acme.caller(...permissions.filter((one) => one !== needs));
  const { status, body } = await others.request(request);
  expect({ status, code: body.code }).toEqual({ status: 403, code: 'auth.forbidden' });
  expect((await acme.caller(needs).request(request)).status).not.toBe(403);
});

test('a tenant without the module has none of it', async () => {
  await platform.kernel.installations.set(acme.id, 'products', 'disabled');
  onTestFinished(() => platform.kernel.installations.set(acme.id, 'products', 'enabled'));
  const owner = acme.caller(...permissions);
  for (const { request } of calls) {
    const { status, body } = await owner.request(request);
    expect({ status, code: body.code }).toEqual({ status: 404, code: 'http.not_found' });
  }
});

test('a product is made once for one Idempotency-Key', async () => {
  const merchant = acme.caller('products.create');
  const body = { sku: 'ONCE', title: 'Tea', price: 1 };
  const key = { 'idempotency-key': 'k1' };
  const first = await merchant.post('/api/v1/products', body, key);
  const second = await merchant.post('/api/v1/products', body, key);
  expect({ status: second.status, body: second.body }).toEqual({ status: 201, body: first.body });
});
