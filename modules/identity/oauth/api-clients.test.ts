import { createHash } from 'node:crypto';
import { sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { startAccounts } from '../../../server/testing/accounts.ts';
import { auditEntries } from '../../../server/testing/audit-entries.ts';
import { makeClient, type TestClient } from '../../../server/testing/oauth.ts';
import { readByCursor } from '../../../server/testing/read-by-cursor.ts';
import { apiClientActions } from './api-client-actions.ts';

const platform = await startAccounts();
const secondProcess = await startAccounts({ sharedWith: platform });
const acme = await platform.tenant();
const other = await platform.tenant();
const asha = await platform.person({ tenant: acme });
const stranger = await platform.person({ tenant: other });
const { db } = platform.kernel.central;
const url = '/api/v1/api-clients';

async function requestStatus(token: string, { on = platform, path = '/api/v1/settings', tenant = acme.id } = {}) {
  const headers = { authorization: `Bearer ${token}`, 'x-tenant': tenant };
  return (await on.request({ method: 'GET', url: path, headers })).status;
}

async function requestToken(client: TestClient): Promise<string> {
  return (await client.token(platform)).body.access_token;
}

/** The activity log of a client, newest last. */
async function listActivity(id: string) {
  return db.rows<{ action: string; user_id: number; tenant_id: string; details: Record<string, unknown> }>(sql`
    SELECT action, user_id, tenant_id, details FROM activity_log WHERE details->>'client_id' = ${id} ORDER BY id`);
}

test('the secret of an API client is shown once and stored as a hash', async () => {
  const input = { name: 'Shop window', scopes: ['settings.view', 'customers.view', 'settings.view'] };
  const { status, body } = await asha.post(url, input);
  expect(status).toBe(201);
  expect(body).toEqual({
    message: 'API client created.',
    api_client: {
      id: expect.any(String),
      name: 'Shop window',
      scopes: ['settings.view', 'customers.view'],
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
      created_by: { id: asha.id, name: asha.name },
      last_used_at: null,
      secret_expires_at: null,
    },
    client_secret: expect.stringMatching(/^chowk_cs_[\w-]{43}$/),
  });
  const { id } = body.api_client;
  const row = await db.row<{ secret_hash: Buffer; kind: string; email: string | null }>(sql`
    SELECT c.secret_hash, u.kind, u.email FROM oauth_clients c JOIN users u ON u.id = c.user_id WHERE c.id = ${id}`);
  const hash = createHash('sha256').update(body.client_secret).digest();
  expect(row).toEqual({ secret_hash: hash, kind: 'service', email: null });
  const shown = await asha.get(`${url}/${id}`);
  expect(shown.body).toEqual({ api_client: body.api_client });
  expect(await listActivity(id)).toMatchObject([
    { action: 'api_client_created', user_id: asha.id, tenant_id: acme.id, details: { name: 'Shop window' } },
  ]);
});

test('the list of API clients is paginated, newest first, and limited to the tenant', async () => {
  const tenant = await platform.tenant();
  const owner = await platform.person({ tenant });
  for (const name of ['one', 'two', 'three']) await makeClient(owner, ['settings.view'], name);
  const { body } = await owner.get(`${url}?per_page=2`);
  expect(body.api_clients.map(({ name }: { name: string }) => name)).toEqual(['three', 'two']);
  expect(body.pagination).toEqual({ current_page: 1, last_page: 2, per_page: 2, total: 3 });
  const rest = await owner.get(`${url}?per_page=2&page=2`);
  expect(rest.body.api_clients.map(({ name }: { name: string }) => name)).toEqual(['one']);
  expect((await owner.get(`${url}?per_page=101`)).status).toBe(422);
});

test.each<[string, Record<string, unknown>, string]>([
  ['no name', { scopes: ['settings.view'] }, 'name'],
  ['a name with a line break', { name: 'a\nb', scopes: ['settings.view'] }, 'name'],
  ['no scopes', { name: 'x' }, 'scopes'],
  ['an empty list of scopes', { name: 'x', scopes: [] }, 'scopes'],
  ['an unknown scope', { name: 'x', scopes: ['settings.view', 'settings.fly'] }, 'scopes.1'],
  ['a scope that is no text', { name: 'x', scopes: [5] }, 'scopes.0'],
])('%s is refused with the field', async (_, body, field) => {
  const answer = await asha.post(url, body);
  expect(answer.status).toBe(422);
  expect(Object.keys(answer.body.errors)).toEqual([field]);
});

test('a caller cannot create or take over an API client with permissions that the caller lacks', async () => {
  const admin = await platform.person({ tenant: acme, role: 'Admin' });
  const notHeld = { status: 403, code: 'identity.scope_not_held' };
  const summarize = ({ status, body }: { status: number; body: { code: string } }) => ({ status, code: body.code });
  expect(summarize(await admin.post(url, { name: 'x', scopes: ['settings.billing'] }))).toEqual(notHeld);
  // Reseller permissions have no effect in a merchant's tenant, not even for its Owner.
  expect(summarize(await asha.post(url, { name: 'x', scopes: ['reseller.tenants.view'] }))).toEqual(notHeld);
  const rich = await makeClient(asha, ['settings.billing', 'settings.view']);
  expect(summarize(await admin.post(`${url}/${rich.id}/secret`))).toEqual(notHeld);
  const poor = await makeClient(admin, ['settings.view']);
  expect(summarize(await admin.patch(`${url}/${poor.id}`, { scopes: ['settings.billing'] }))).toEqual(notHeld);
  // Permissions that it already has may stay.
  expect((await admin.patch(`${url}/${rich.id}`, { scopes: ['settings.billing'] })).status).toBe(200);
  expect((await admin.delete(`${url}/${rich.id}`)).status).toBe(200);
});

test.each(Object.values(apiClientActions).map(({ http }) => http as string))(
  '%s needs settings.api_clients',
  async (http) => {
    const manager = await platform.person({ tenant: acme, role: 'Manager' });
    const [method, path = ''] = http.split(' ') as ['GET', string];
    const { status, body } = await manager.request({ method, url: `/api/v1${path.replace(':id', 'any')}` });
    expect({ status, message: body.message }).toEqual({
      status: 403,
      message: 'This needs the permission settings.api_clients.',
    });
  },
);

test('API clients of other tenants, of the platform and unknown ones are not found', async () => {
  const { id } = await makeClient(asha, ['settings.view']);
  const ids: [typeof asha, string][] = [
    [stranger, id],
    [asha, 'chowk-console'],
    [asha, 'nobody'],
  ];
  for (const [caller, id] of ids) {
    const answers = await Promise.all([
      caller.get(`${url}/${id}`),
      caller.patch(`${url}/${id}`, { name: 'Mine' }),
      caller.post(`${url}/${id}/secret`),
      caller.delete(`${url}/${id}`),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  }
  expect((await asha.get(`${url}/${id}`)).body.api_client.name).toBe('Shop window');
});

test('new scopes apply to existing tokens in every process', async () => {
  const client = await makeClient(asha, ['settings.view', 'settings.domains']);
  const token = await requestToken(client);
  expect(await requestStatus(token, { on: secondProcess })).toBe(200);
  const { status, body } = await asha.patch(`${url}/${client.id}`, { name: 'Domains', scopes: ['settings.domains'] });
  expect({ status, ...body.api_client }).toMatchObject({ status: 200, name: 'Domains', scopes: ['settings.domains'] });
  for (const on of [platform, secondProcess]) {
    await expect.poll(() => requestStatus(token, { on }), { timeout: 1_000 }).toBe(403);
    expect(await requestStatus(token, { on, path: '/api/v1/domains' })).toBe(200);
  }
  expect((await client.token(platform, 'settings.view')).body.error).toBe('invalid_scope');
  expect((await listActivity(client.id)).at(-1)).toMatchObject({
    action: 'api_client_updated',
    details: { name: 'Domains', added: [], removed: ['settings.view'] },
  });
});

test('a new secret replaces the old one at once, in every process', async () => {
  const client = await makeClient(asha, ['settings.view']);
  expect((await client.token(secondProcess)).status).toBe(200);
  const { status, body } = await asha.post(`${url}/${client.id}/secret`);
  expect({ status, id: body.api_client.id }).toEqual({ status: 200, id: client.id });
  for (const on of [platform, secondProcess]) {
    expect((await client.token(on)).body.error).toBe('invalid_client');
  }
  const { secret } = { secret: body.client_secret };
  expect(secret).not.toBe(client.secret);
  const renewed = await secondProcess.request({
    method: 'POST',
    url: '/oauth/token',
    payload: { grant_type: 'client_credentials', client_id: client.id, client_secret: secret },
  });
  expect(renewed.status).toBe(200);
  expect((await listActivity(client.id)).map(({ action }) => action)).toEqual([
    'api_client_created',
    'api_client_secret_rotated',
  ]);
  expect(JSON.stringify(await listActivity(client.id))).not.toContain(secret);
});

test('deleting an API client revokes its tokens at once, in other processes within a second', async () => {
  const client = await makeClient(asha, ['settings.view']);
  const token = await requestToken(client);
  for (const on of [platform, secondProcess]) expect(await requestStatus(token, { on })).toBe(200);
  expect((await asha.delete(`${url}/${client.id}`)).body).toEqual({ message: 'API client deleted.' });
  expect(await requestStatus(token)).toBe(401);
  await expect.poll(() => requestStatus(token, { on: secondProcess }), { timeout: 1_000 }).toBe(401);
  for (const on of [platform, secondProcess]) expect((await client.token(on)).body.error).toBe('invalid_client');
  expect((await asha.get(`${url}/${client.id}`)).status).toBe(404);
  expect((await asha.delete(`${url}/${client.id}`)).status).toBe(404);
  expect((await listActivity(client.id)).at(-1)?.action).toBe('api_client_deleted');
});

test('no token remains valid when its client is deleted while requesting tokens', async () => {
  const client = await makeClient(asha, ['settings.view']);
  const asking = Array.from({ length: 12 }, (_, index) => client.token(index % 2 ? platform : secondProcess));
  const [deleted, ...answers] = await Promise.all([asha.delete(`${url}/${client.id}`), ...asking]);
  expect(deleted?.status).toBe(200);
  for (const { status, body } of answers) {
    expect([200, 400]).toContain(status);
    if (status === 200) await expect.poll(() => requestStatus(body.access_token)).toBe(401);
  }
});

test('a cursor visits every API client once, also while others are created', async () => {
  const owner = await platform.person({ tenant: await platform.tenant() });
  const names = ['e', 'a', 'd', 'B', 'c'];
  for (const name of names) await makeClient(owner, ['settings.view'], name);
  const read = await readByCursor<{ name: string }>(owner, `${url}?sort_by=name&sort_order=asc`, () =>
    makeClient(owner, ['settings.view'], '0'),
  );
  expect(read.map(({ name }) => name)).toEqual(['a', 'B', 'c', 'd', 'e']);
});

test('API clients that changed since a given time are listed, latest change last', async () => {
  const owner = await platform.person({ tenant: await platform.tenant() });
  const first = await makeClient(owner, ['settings.view'], 'first');
  await makeClient(owner, ['settings.view'], 'untouched');
  const second = await makeClient(owner, ['settings.view'], 'second');
  const { body } = await owner.patch(`${url}/${second.id}`, { name: 'renamed' });
  await owner.post(`${url}/${first.id}/secret`);
  const query = `updated_from=${body.api_client.updated_at}&sort_by=updated_at&sort_order=asc`;
  const changed = await owner.get(`${url}?${query}`);
  expect(changed.body.api_clients.map(({ name }: { name: string }) => name)).toEqual(['renamed', 'first']);
});

test('an unknown parameter is refused by name', async () => {
  const { status, body } = await asha.get(`${url}?colour=red&sort_by=secret_hash`);
  expect({ status, codes: body.error_codes }).toEqual({
    status: 422,
    codes: { colour: ['unknown'], sort_by: ['not_allowed'] },
  });
});

test('all errors of an API client are reported in one response', async () => {
  const scopes = ['settings.view', 'settings.fly', 'settings.swim'];
  const { body, status } = await asha.post(url, { name: '', scopes });
  expect({ status, codes: body.error_codes }).toEqual({
    status: 422,
    codes: { name: ['too_short'], 'scopes.1': ['not_allowed'], 'scopes.2': ['not_allowed'] },
  });
  const { id } = await makeClient(asha, ['settings.view']);
  const changed = await asha.patch(`${url}/${id}`, { name: 'x'.repeat(256), scopes });
  expect(Object.keys(changed.body.errors).sort()).toEqual(['name', 'scopes.1', 'scopes.2']);
});

test('scopes that are removed while a change is under way are not added again without a confirmation', async () => {
  const { id } = await makeClient(asha, ['settings.view', 'team.invite']);
  const isWaiting = () =>
    db.row<{ waits: boolean }>(sql`
      SELECT EXISTS (SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%oauth_clients%FOR UPDATE%') AS waits`);
  const change = await db.tx(async (tx) => {
    await tx.run(sql`UPDATE oauth_clients SET scopes = '{settings.view}' WHERE id = ${id}`);
    const sent = asha.patch(`${url}/${id}`, { scopes: ['settings.view', 'team.invite'] });
    await expect.poll(isWaiting).toEqual({ waits: true });
    return { sent };
  });
  expect(await change.sent).toMatchObject({ status: 409, body: { code: 'identity.api_client_changed' } });
  expect((await asha.get(`${url}/${id}`)).body.api_client.scopes).toEqual(['settings.view']);
});

test('a change based on an outdated version of an API client is refused', async () => {
  const { id } = await makeClient(asha, ['settings.view']);
  const { headers } = await asha.get(`${url}/${id}`);
  const old = { 'if-match': headers.etag as string };
  const renamed = await asha.patch(`${url}/${id}`, { name: 'Renamed' }, old);
  expect(renamed.status).toBe(200);
  for (const { status } of [
    await asha.patch(`${url}/${id}`, { name: 'Again' }, old),
    await asha.post(`${url}/${id}/secret`, {}, old),
    await asha.delete(`${url}/${id}`, undefined, old),
  ]) {
    expect(status).toBe(412);
  }
  expect((await asha.delete(`${url}/${id}`, undefined, { 'if-match': renamed.headers.etag as string })).status).toBe(
    200,
  );
});

test('the audit log contains changes of scopes and no secrets', async () => {
  const client = await makeClient(asha, ['settings.view', 'settings.domains'], 'Watched');
  await asha.patch(`${url}/${client.id}`, { scopes: ['settings.view'] });
  const { body } = await asha.post(`${url}/${client.id}/secret`);
  await asha.delete(`${url}/${client.id}`);
  const lines = [];
  for (const verb of ['create', 'update', 'rotateSecret', 'delete']) {
    lines.push((await auditEntries(platform, asha, `apiClients.${verb}`))[0]);
  }
  expect(lines.map((line) => line?.changes)).toEqual([
    { id: [null, client.id] },
    { scopes: [['settings.view', 'settings.domains'], ['settings.view']] },
    null,
    { name: ['Watched', null], scopes: [['settings.view'], null] },
  ]);
  expect(lines.slice(1).map((line) => line?.resource_id)).toEqual([client.id, client.id, client.id]);
  for (const secret of [client.secret, body.client_secret]) expect(JSON.stringify(lines)).not.toContain(secret);
});
