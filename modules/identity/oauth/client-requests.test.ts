import { sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { startAccounts } from '../../../server/testing/accounts.ts';
import { connectApp, makeApp } from '../../../server/testing/apps.ts';
import { makeClient } from '../../../server/testing/oauth.ts';

const platform = await startAccounts({ environment: { RATE_LIMIT_PER_MINUTE: '100000' } });
const { requestLog } = platform.kernel;
const acme = await platform.tenant();
const other = await platform.tenant();
const asha = await platform.person({ tenant: acme });

function call(token: string, method: 'GET' | 'POST' | 'PATCH', url: string, payload?: object) {
  const headers = { authorization: `Bearer ${token}`, 'x-tenant': acme.id };
  return platform.request({ method, url, headers, ...(payload && { payload }) });
}

test('the log of an API client has its requests, without personal data, with the ids of the audit log', async () => {
  const shop = await makeClient(asha, ['customers.view', 'customers.create', 'customers.edit']);
  const { access_token: token } = (await shop.token(platform)).body;
  const created = await call(token, 'POST', '/api/v1/customers', { first_name: 'Meera', email: 'meera@example.com' });
  await call(token, 'GET', `/api/v1/customers/search?q=meera`);
  await call(token, 'PATCH', `/api/v1/customers/${created.body.customer.id}`, { email: 'nonsense' });
  await call(token, 'GET', '/api/v1/orders');
  await asha.get('/api/v1/customers');
  await requestLog.flush();

  const { status, body } = await asha.get(`/api/v1/api-clients/${shop.id}/requests?sort_order=asc`);
  expect(status).toBe(200);
  expect(body.requests.map((one: Record<string, unknown>) => [one.method, one.path, one.status])).toEqual([
    ['POST', '/api/v1/customers', 201],
    ['GET', '/api/v1/customers/search', 200],
    ['PATCH', '/api/v1/customers/:id', 422],
    ['GET', '/api/v1/orders', 403],
  ]);
  expect(JSON.stringify(body)).not.toMatch(/meera/i);
  const [first] = body.requests;
  expect(first.request_id).toBe(created.headers['x-request-id']);
  expect(first.duration_ms).toBeGreaterThan(0);
  const audit = await asha.get(`/api/v1/audit?request_id=${first.request_id}`);
  expect(audit.body.audit).toMatchObject([{ action: 'customers.create' }]);

  const refused = await asha.get(`/api/v1/api-clients/${shop.id}/requests?status=403`);
  expect(refused.body.requests).toHaveLength(1);
  const page = await asha.get(`/api/v1/api-clients/${shop.id}/requests?limit=3`);
  expect(page.body.pagination.has_more).toBe(true);
  const next = await asha.get(
    `/api/v1/api-clients/${shop.id}/requests?limit=3&cursor=${encodeURIComponent(page.body.pagination.next_cursor)}`,
  );
  expect(next.body.requests).toHaveLength(1);
});

test("an app's log has the requests of its users in this tenant only", async () => {
  const app = await makeApp(asha);
  const { body: tokens } = await connectApp(platform, asha, app);
  await call(tokens.access_token, 'GET', '/api/v1/settings');
  await requestLog.flush();
  const { body: grants } = await asha.get('/api/v1/app-grants');
  const { body } = await asha.get(`/api/v1/app-grants/${grants.app_grants[0].id}/requests`);
  expect(body.requests).toMatchObject([{ path: '/api/v1/settings', status: 200, user_id: asha.id }]);
  const ravi = await platform.person({ tenant: other });
  expect((await ravi.get(`/api/v1/app-grants/${grants.app_grants[0].id}/requests`)).status).toBe(404);
});

test('the log of another tenant or an unknown client is not found, and it needs the permission', async () => {
  const shop = await makeClient(asha, ['customers.view']);
  const ravi = await platform.person({ tenant: other });
  const agent = await platform.person({ tenant: acme, role: 'Agent' });
  expect((await ravi.get(`/api/v1/api-clients/${shop.id}/requests`)).status).toBe(404);
  expect((await asha.get('/api/v1/api-clients/nobody/requests')).status).toBe(404);
  expect((await agent.get(`/api/v1/api-clients/${shop.id}/requests`)).status).toBe(403);
});

test('a tenant keeps its newest 100,000 requests, and none that is older than 30 days', async () => {
  const shop = await makeClient(asha, ['settings.view']);
  const { access_token: token } = (await shop.token(platform)).body;
  await acme.db.run(sql`
    INSERT INTO request_log (id, at, client_id, user_id, method, path, status, duration_ms, request_id)
    SELECT gen_random_uuid(), now() - interval '1 hour' - n * interval '1 second', ${shop.id}, 1, 'GET', '/old', 200, 1, 'r'
    FROM generate_series(1, 105000) n`);
  const tenant = await platform.kernel.directory.resolve({ host: '', header: acme.id });
  const request = {
    clientId: shop.id,
    userId: 1,
    method: 'GET',
    path: '/new',
    status: 200,
    milliseconds: 1,
    requestId: 'r',
  };
  for (let n = 0; n < 10_000; n += 1) requestLog.add({ tenant: tenant?.tenant as never, ...request });
  await requestLog.flush();
  const kept = await acme.db.rows<{ path: string; count: number }>(sql`
    SELECT path, count(*) FROM request_log WHERE client_id = ${shop.id} GROUP BY path ORDER BY path`);
  expect(kept[0]).toEqual({ path: '/new', count: 10_000 });
  expect(kept[1]?.count).toBeLessThanOrEqual(90_001);
  expect(kept[1]?.count).toBeGreaterThan(89_000);
  expect((await call(token, 'GET', '/api/v1/settings')).status).toBe(200);
});
