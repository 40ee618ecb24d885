import { sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { startPlatform, type TestCaller, uniqueId } from '../../server/testing/platform.ts';

const platform = await startPlatform();

async function newTenant() {
  const tenant = await platform.tenant();
  return { tenant, caller: tenant.caller('settings.domains', 'settings.view') };
}

async function statusAt(label: string, { token }: TestCaller): Promise<number> {
  const headers = { host: `${label}.localhost`, authorization: `Bearer ${token}` };
  return (await platform.request({ url: '/api/v1/settings', headers })).status;
}

test('a new tenant has a random domain and its id as an alias', async () => {
  const { tenant, caller } = await newTenant();
  const { status, body } = await caller.get('/api/v1/domains');
  expect(status).toBe(200);
  expect(body.domains).toEqual([
    { domain: expect.stringMatching(/^[a-z0-9]{8}$/), kind: 'random', created_at: expect.any(String) },
    { domain: tenant.id, kind: 'alias', created_at: expect.any(String) },
  ]);
});

test('an alias leads to the tenant as soon as it is added, and no longer once it is removed', async () => {
  const { caller } = await newTenant();
  const alias = `shop-${uniqueId()}`;
  expect(await statusAt(alias, caller)).toBe(404);
  const added = await caller.post('/api/v1/domains', { domain: alias.toUpperCase() });
  expect(added).toMatchObject({
    status: 201,
    body: { message: 'Domain added.', domain: { domain: alias, kind: 'alias' } },
  });
  expect(await statusAt(alias, caller)).toBe(200);
  const removed = await caller.delete(`/api/v1/domains/${alias.toUpperCase()}`);
  expect(removed).toMatchObject({ status: 200, body: { message: 'Domain removed.' } });
  expect(await statusAt(alias, caller)).toBe(404);
});

test.each(['www', 'stable', '-a', 'a.b', 'a b', ''])('a reserved or invalid label is 422: %j', async (domain) => {
  const { caller } = await newTenant();
  const { status, body } = await caller.post('/api/v1/domains', { domain });
  expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: ['domain'] });
});

test('a tenant has at most twenty aliases, even if many are added at once', async () => {
  const { caller } = await newTenant();
  const prefix = uniqueId();
  const add = (name: number) => caller.post('/api/v1/domains', { domain: `${prefix}-${name}` });
  const statuses = (await Promise.all(Array.from({ length: 25 }, (_, name) => add(name)))).map(({ status }) => status);
  // The id is an alias too.
  expect(statuses.filter((status) => status === 201)).toHaveLength(19);
  expect(await add(25)).toMatchObject({ status: 409, body: { code: 'tenancy.too_many_domains' } });
  const { body } = await caller.get('/api/v1/domains');
  await caller.delete(`/api/v1/domains/${body.domains.at(-1).domain}`);
  expect((await add(26)).status).toBe(201);
});

test('the domain of another tenant is taken', async () => {
  const [{ caller }, { tenant: other }] = [await newTenant(), await newTenant()];
  const { status, body } = await caller.post('/api/v1/domains', { domain: other.id });
  expect({ status, codes: body.error_codes }).toEqual({ status: 422, codes: { domain: ['taken'] } });
});

test("the random domain, the tenant's id and the last alias cannot be removed", async () => {
  const { tenant, caller } = await newTenant();
  const { body } = await caller.get('/api/v1/domains');
  for (const { domain } of body.domains) {
    const refused = await caller.delete(`/api/v1/domains/${domain}`);
    expect(refused).toMatchObject({ status: 409, body: { code: 'tenancy.domain_permanent' } });
  }
  await tenant.caller('settings.domains').post('/api/v1/domains', { domain: `shop-${uniqueId()}` });
  expect((await caller.delete(`/api/v1/domains/${tenant.id}`)).status).toBe(409);
});

test('the domain of another tenant cannot be removed', async () => {
  const [{ caller }, other] = [await newTenant(), await newTenant()];
  const alias = `shop-${uniqueId()}`;
  await other.caller.post('/api/v1/domains', { domain: alias });
  const refused = await caller.delete(`/api/v1/domains/${alias}`);
  expect(refused).toMatchObject({ status: 404, body: { code: 'tenancy.domain_not_found' } });
  expect(await statusAt(alias, other.caller)).toBe(200);
});

test('adding and removing an alias is recorded in the audit log', async () => {
  const { tenant, caller } = await newTenant();
  const alias = `shop-${uniqueId()}`;
  await caller.post('/api/v1/domains', { domain: alias });
  await caller.delete(`/api/v1/domains/${alias}`);
  await platform.kernel.audit.flush();
  const entries = await tenant.db.rows(sql`SELECT action, outcome, changes FROM module_bus_audit_log ORDER BY at, id`);
  expect(entries).toEqual([
    { action: 'domains.create', outcome: 'ok', changes: null },
    { action: 'domains.delete', outcome: 'ok', changes: { domain: [alias, null] } },
  ]);
});
