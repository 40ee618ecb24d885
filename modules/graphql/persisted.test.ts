import { createHash } from 'node:crypto';
import { sql } from '@chowk/kit';
import { beforeEach, expect, test } from 'vitest';
import { auditEntries } from '../../server/testing/audit-entries.ts';
import { eventually } from '../../server/testing/eventually.ts';
import { startPlatform, type TestCaller, type TestTenant } from '../../server/testing/platform.ts';
import { getPersistedQueries } from './persisted-cache.ts';

const platform = await startPlatform();
/** A second process of the same installation. */
const other = await startPlatform({ sharedWith: platform, identity: platform.identity });
const permissions = ['graphql.persisted.view', 'graphql.persisted.manage', 'graphql.settings.manage', 'settings.edit'];
const path = '/api/v1/graphql/persisted';
const query = 'query Name {\n  __typename\n}\n';
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const hash = sha256(query);

let acme: TestTenant;
let admin: TestCaller;

beforeEach(async () => {
  acme = await platform.tenant();
  admin = acme.caller(...permissions);
});

const byHash = (sha256Hash: unknown, version: unknown = 1) => ({
  extensions: { persistedQuery: { version, sha256Hash } },
});

/** Runs an operation in the second process, as the same user. */
function executeInSecondProcess(body: object, { token }: TestCaller = admin) {
  const headers = { authorization: `Bearer ${token}`, 'x-tenant': acme.id };
  return other.request({ method: 'POST', url: '/api/v1/graphql', headers, payload: body });
}

const execute = (body: object, caller = admin) => caller.post('/api/v1/graphql', body);
const register = (text = query, name = 'Name') => admin.post(path, { query: text, name });
const lockDown = () => admin.patch('/api/v1/settings', { 'graphql.persisted_queries_only': true });
const refusedWith = (code: string) => ({ errors: [{ message: expect.any(String), extensions: { code } }] });
const executed = { data: { __typename: 'Query' } };

async function readUses(text = query): Promise<{ uses: number; last_used_at: string | null }> {
  const { body } = await admin.get(path);
  return body.persisted_queries.find((one: { hash: string }) => one.hash === sha256(text));
}

test('a registered query is executed by the SHA-256 of its exact text', async () => {
  const { status, body } = await register();
  expect({ status, body }).toEqual({
    status: 201,
    body: { message: 'Persisted query registered.', hash, name: 'Name' },
  });
  expect((await execute(byHash(hash))).body).toMatchObject(executed);
  expect((await execute({ ...byHash(hash), query: '' })).body).toMatchObject(executed);
  expect((await execute({ ...byHash(hash), query: null, operationName: 'Name' })).body).toMatchObject(executed);
});

test('persisted queries are listed with their text and their uses', async () => {
  await register('{ __typename }', 'B');
  await register(query, 'A');
  await execute(byHash(hash));
  await execute(byHash(hash));
  const { status, body } = await admin.get(path);
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      persisted_queries: [
        { hash, name: 'A', query, created_at: expect.any(String), last_used_at: expect.any(String), uses: 2 },
        {
          hash: sha256('{ __typename }'),
          name: 'B',
          query: '{ __typename }',
          created_at: expect.any(String),
          last_used_at: null,
          uses: 0,
        },
      ],
    },
  });
});

test('registering the same text again changes its name and keeps its uses', async () => {
  await register();
  await execute(byHash(hash));
  expect((await register(query, 'Renamed')).body).toMatchObject({ hash, name: 'Renamed' });
  expect((await admin.get(path)).body.persisted_queries).toMatchObject([{ hash, name: 'Renamed', uses: 1 }]);
});

test('an operation that GraphQL refuses is not registered, and the response names all problems', async () => {
  const { status, body } = await register('{ nothing', '');
  expect({ status, fields: Object.keys(body.errors).toSorted() }).toEqual({ status: 422, fields: ['name', 'query'] });
  const unknownField = await register('{ unknown_field }');
  expect(unknownField).toMatchObject({
    status: 422,
    body: { errors: { query: [expect.stringContaining('unknown_field')] } },
  });
  expect((await admin.get(path)).body).toEqual({ persisted_queries: [] });
});

test('a document with several operations is executed by hash and operation name', async () => {
  const text = 'query First { first: __typename } query Second { second: __typename }';
  await register(text);
  const { body } = await execute({ ...byHash(sha256(text)), operationName: 'Second' });
  expect(body.data).toEqual({ second: 'Query' });
});

test('a deleted query is no longer executed, in any process', async () => {
  await register();
  expect((await execute(byHash(hash))).body).toMatchObject(executed);
  expect((await executeInSecondProcess(byHash(hash))).body).toMatchObject(executed);
  const { status, body } = await admin.delete(`${path}/${hash}`);
  expect({ status, body }).toEqual({ status: 200, body: { message: 'Persisted query deleted.' } });
  expect((await execute(byHash(hash))).body).toEqual(refusedWith('PERSISTED_QUERY_NOT_FOUND'));
  await other.kernel.signals.waitUntilApplied();
  expect((await executeInSecondProcess(byHash(hash))).body).toEqual(refusedWith('PERSISTED_QUERY_NOT_FOUND'));
});

test('a query that was unknown is executed as soon as it is registered, in any process', async () => {
  expect((await execute(byHash(hash))).body).toEqual(refusedWith('PERSISTED_QUERY_NOT_FOUND'));
  expect((await executeInSecondProcess(byHash(hash))).body).toEqual(refusedWith('PERSISTED_QUERY_NOT_FOUND'));
  await register();
  expect((await execute(byHash(hash))).body).toMatchObject(executed);
  await other.kernel.signals.waitUntilApplied();
  expect((await executeInSecondProcess(byHash(hash))).body).toMatchObject(executed);
});

test('deleting an unknown query is 404', async () => {
  for (const unknown of [hash, 'unknown']) {
    const { status, body } = await admin.delete(`${path}/${unknown}`);
    expect({ status, code: body.code }).toEqual({ status: 404, code: 'graphql.persisted_not_found' });
  }
});

test('a repeated deletion reaches processes that missed the first one', async () => {
  await register();
  await executeInSecondProcess(byHash(hash));
  // The process that deleted it died before it could notify the others.
  await acme.db.run(sql`DELETE FROM persisted_queries`);
  expect((await admin.delete(`${path}/${hash}`)).status).toBe(404);
  await other.kernel.signals.waitUntilApplied();
  expect((await executeInSecondProcess(byHash(hash))).body).toEqual(refusedWith('PERSISTED_QUERY_NOT_FOUND'));
});

test('clients recognize an unknown hash by its message and code', async () => {
  const response = await execute(byHash(hash));
  expect(response).toMatchObject({
    status: 200,
    body: { errors: [{ message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }] },
  });
  expect(response.body).not.toHaveProperty('data');
  const headers = { accept: 'application/graphql-response+json' };
  expect((await admin.post('/api/v1/graphql', byHash(hash), headers)).status).toBe(400);
});

test('a query with its hash is executed and registers nothing', async () => {
  expect((await execute({ query, ...byHash(hash) })).body).toMatchObject(executed);
  expect((await admin.get(path)).body).toEqual({ persisted_queries: [] });
  expect((await execute(byHash(hash))).body).toEqual(refusedWith('PERSISTED_QUERY_NOT_FOUND'));
});

test('a query with the hash of another text is refused', async () => {
  await register('{ __typename }');
  for (const wrong of [sha256('{ __typename }'), sha256(query.trim())]) {
    expect((await execute({ query, ...byHash(wrong) })).body).toEqual(refusedWith('PERSISTED_QUERY_HASH_MISMATCH'));
  }
});

test('an invalid persisted query in a request is refused', async () => {
  await register();
  const requests = {
    'another version': byHash(hash, 2),
    'a version that is a text': byHash(hash, '1'),
    'no version': { extensions: { persistedQuery: { sha256Hash: hash } } },
    'no hash': byHash(undefined),
    'a hash that is no SHA-256': byHash('abc'),
    'a hash that is a list': byHash([hash]),
    'a persisted query that is a text': { extensions: { persistedQuery: hash } },
    'extensions that are a list': { query, extensions: [] },
    'a query that is a number': { query: 1 },
    'neither a query nor a hash': { extensions: {} },
  };
  for (const [name, request] of Object.entries(requests)) {
    const { status, body } = await execute(request);
    expect.soft({ status, body }, name).toEqual({ status: 400, body: refusedWith('BAD_INPUT') });
  }
});

test('other extensions are ignored', async () => {
  expect((await execute({ query, extensions: { clientLibrary: {}, persistedQuery: null } })).body).toMatchObject(
    executed,
  );
});

test('a hash is known only to the tenant that registered it', async () => {
  await register();
  const stranger = (await platform.tenant()).caller(...permissions);
  expect((await execute(byHash(hash), stranger)).body).toEqual(refusedWith('PERSISTED_QUERY_NOT_FOUND'));
  expect((await stranger.get(path)).body).toEqual({ persisted_queries: [] });
  expect((await stranger.delete(`${path}/${hash}`)).status).toBe(404);
  expect((await execute(byHash(hash))).body).toMatchObject(executed);
});

test('lockdown executes registered queries only, by hash or by text', async () => {
  await register();
  await lockDown();
  const unregistered = '{ __typename }';
  const required = refusedWith('PERSISTED_QUERY_REQUIRED');
  expect((await execute({ query: unregistered })).body).toEqual(required);
  expect((await execute({ query: unregistered, ...byHash(sha256(unregistered)) })).body).toEqual(required);
  expect((await execute(byHash(sha256(unregistered)))).body).toEqual(required);
  expect((await execute({ query: '{ __schema { types { name } } }' })).body).toEqual(required);
  expect((await execute(byHash(hash))).body).toMatchObject(executed);
  expect((await execute({ query })).body).toMatchObject(executed);
  expect((await execute({ query, ...byHash(hash) })).body).toMatchObject(executed);
  expect((await execute({ query: query.trim() })).body).toEqual(required);
});

test('lockdown never registers by itself', async () => {
  await lockDown();
  for (let attempt = 0; attempt < 3; attempt++) await execute({ query, ...byHash(hash) });
  expect((await admin.get(path)).body).toEqual({ persisted_queries: [] });
});

test('lockdown begins and ends at once, in any process', async () => {
  const required = refusedWith('PERSISTED_QUERY_REQUIRED');
  expect((await executeInSecondProcess({ query })).body).toMatchObject(executed);
  await lockDown();
  await other.kernel.signals.waitUntilApplied();
  expect((await executeInSecondProcess({ query })).body).toEqual(required);
  await admin.patch('/api/v1/settings', { 'graphql.persisted_queries_only': null });
  await other.kernel.signals.waitUntilApplied();
  expect((await executeInSecondProcess({ query })).body).toMatchObject(executed);
});

test('the permissions to view and to manage persisted queries are separate', async () => {
  const viewer = acme.caller('graphql.persisted.view');
  const manager = acme.caller('graphql.persisted.manage');
  expect((await viewer.get(path)).status).toBe(200);
  expect((await viewer.post(path, { query, name: 'Name' })).status).toBe(403);
  expect((await viewer.delete(`${path}/${hash}`)).status).toBe(403);
  expect((await manager.get(path)).status).toBe(403);
  expect((await manager.post(path, { query, name: 'Name' })).status).toBe(201);
  expect((await execute(byHash(hash), acme.caller())).body).toMatchObject(executed);
  const headers = { 'x-tenant': acme.id };
  const anonymous = { method: 'POST', url: '/api/v1/graphql', headers, payload: byHash(hash) } as const;
  expect((await platform.request(anonymous)).status).toBe(401);
});

test('a registered query that is sent with its hash is a use too', async () => {
  await register();
  await execute({ query, ...byHash(hash) });
  expect(await readUses()).toMatchObject({ uses: 1 });
});

test('uses of two processes add up', async () => {
  await register();
  await Promise.all(Array.from({ length: 20 }, (_, n) => (n % 2 ? execute : executeInSecondProcess)(byHash(hash))));
  await getPersistedQueries(other.kernel.services).uses.flush(acme.id);
  expect(await readUses()).toMatchObject({ uses: 20, last_used_at: expect.any(String) });
});

test('uses are written without being asked for', async () => {
  await register();
  await execute(byHash(hash));
  await eventually(async () => {
    expect(await acme.db.rows(sql`SELECT uses FROM persisted_queries`)).toEqual([{ uses: 1 }]);
  });
});

test('a process that stops writes its uses first', async () => {
  await register();
  const stopping = await startPlatform({ sharedWith: platform, identity: platform.identity });
  const headers = { authorization: `Bearer ${admin.token}`, 'x-tenant': acme.id };
  await stopping.request({ method: 'POST', url: '/api/v1/graphql', headers, payload: byHash(hash) });
  await stopping.app.close();
  await stopping.kernel.close();
  expect(await acme.db.rows(sql`SELECT uses FROM persisted_queries`)).toEqual([{ uses: 1 }]);
});

test('a query in the cache needs no database, and its uses wait until they can be written', async () => {
  await register();
  await execute(byHash(hash));
  await acme.db.run(sql`ALTER TABLE persisted_queries RENAME TO away`);
  expect((await execute(byHash(hash))).body).toMatchObject(executed);
  await getPersistedQueries(platform.kernel.services).uses.flush(acme.id);
  expect((await execute(byHash(hash))).body).toMatchObject(executed);
  await acme.db.run(sql`ALTER TABLE away RENAME TO persisted_queries`);
  expect(await readUses()).toMatchObject({ uses: 3 });
});

test('a tenant has at most 5,000 persisted queries with 16 MB of text, even if many are registered at once', async () => {
  await acme.db.run(sql`
    INSERT INTO persisted_queries (hash, name, query, created_at)
    SELECT n, 'Filler', '', now() FROM generate_series(1, 4995) n`);
  const texts = Array.from({ length: 20 }, (_, n) => `query Q${n} { __typename }`);
  const statuses = (await Promise.all(texts.map((text) => register(text)))).map(({ status }) => status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(5);
  expect(await register()).toMatchObject({ status: 409, body: { code: 'graphql.too_many_persisted' } });
  const known = texts[statuses.indexOf(201)];
  expect((await register(known, 'Renamed')).status).toBe(201);
  await acme.db.run(sql`DELETE FROM persisted_queries WHERE name = 'Filler'`);
  expect((await register()).status).toBe(201);
  await acme.db.run(sql`
    INSERT INTO persisted_queries (hash, name, query, created_at)
    SELECT n, 'Filler', repeat('#', 1048576), now() FROM generate_series(1, 16) n`);
  expect(await register('{ __typename }')).toMatchObject({ status: 409, body: { code: 'graphql.too_many_persisted' } });
});

test('changes of persisted queries are recorded in the audit log', async () => {
  await register();
  await admin.delete(`${path}/${hash}`);
  const auditor = acme.caller('audit.view');
  const [created] = await auditEntries(platform, auditor, 'graphql.createPersisted');
  expect(created).toMatchObject({ outcome: 'ok', user_id: admin.user.id, input: { query, name: 'Name' } });
  const [deleted] = await auditEntries(platform, auditor, 'graphql.deletePersisted');
  expect(deleted).toMatchObject({ outcome: 'ok', changes: { hash: [hash, null], name: ['Name', null] } });
});
