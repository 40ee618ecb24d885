import { createHash } from 'node:crypto';
import { sql } from '@chowk/kit';
import { beforeEach, expect, test } from 'vitest';
import { auditEntries } from '../../server/testing/audit-entries.ts';
import { startPlatform, type TestCaller, type TestTenant } from '../../server/testing/platform.ts';
import { getUnregisteredUses } from './unregistered.ts';

const platform = await startPlatform();
/** A second process of the same installation. */
const other = await startPlatform({ sharedWith: platform, identity: platform.identity });
const permissions = ['graphql.persisted.view', 'graphql.persisted.manage', 'graphql.settings.manage', 'settings.edit'];
const path = '/api/v1/graphql/unregistered';
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const orders = 'query Orders { __typename }';
const products = 'query Products { __typename }';

let acme: TestTenant;
let admin: TestCaller;

beforeEach(async () => {
  acme = await platform.tenant();
  admin = acme.caller(...permissions);
  await change({ 'graphql.record_unregistered': true });
});

const change = (settings: object) => admin.patch('/api/v1/settings', settings);
const execute = (query: string, more: object = {}) => admin.post('/api/v1/graphql', { query, ...more });
const register = (hashes?: readonly string[]) => admin.post(`${path}/register`, hashes ? { hashes } : {});
const executed = { data: { __typename: 'Query' } };

async function recorded(): Promise<{ hash: string; query: string; uses: number }[]> {
  return (await admin.get(path)).body.unregistered_operations;
}

async function persisted(): Promise<{ name: string; query: string }[]> {
  const { body } = await admin.get('/api/v1/graphql/persisted');
  return body.persisted_queries.map(({ name, query }: { name: string; query: string }) => ({ name, query }));
}

/** Runs an operation in the second process, as the same user. */
function executeInSecondProcess(query: string) {
  const headers = { authorization: `Bearer ${admin.token}`, 'x-tenant': acme.id };
  return other.request({ method: 'POST', url: '/api/v1/graphql', headers, payload: { query } });
}

test('operations that lockdown would refuse are executed and recorded, the most used first', async () => {
  expect((await execute(orders)).body).toMatchObject(executed);
  for (let use = 0; use < 3; use++) await execute(products);
  const seen = { first_seen_at: expect.any(String), last_seen_at: expect.any(String) };
  expect(await recorded()).toEqual([
    { hash: sha256(products), operation_name: 'Products', query: products, uses: 3, ...seen },
    { hash: sha256(orders), operation_name: 'Orders', query: orders, uses: 1, ...seen },
  ]);
});

test('registered queries are not recorded', async () => {
  await admin.post('/api/v1/graphql/persisted', { query: orders, name: 'Orders' });
  await execute(orders);
  const persistedQuery = { version: 1, sha256Hash: sha256(orders) };
  await admin.post('/api/v1/graphql', { extensions: { persistedQuery } });
  expect(await recorded()).toEqual([]);
});

test('operations that cannot be executed are not recorded', async () => {
  await execute('{ nothing');
  await execute('{ unknown_field }');
  await execute('{ __typename } # \0');
  await execute(orders);
  expect(await recorded()).toMatchObject([{ query: orders }]);
});

test('without the setting nothing is recorded', async () => {
  await change({ 'graphql.record_unregistered': false });
  await execute(orders);
  expect(await recorded()).toEqual([]);
});

test('after all recorded operations are registered, lockdown refuses none of them', async () => {
  await execute(orders);
  await execute(products);
  const { status, body } = await register();
  expect({ status, message: body.message }).toEqual({ status: 200, message: 'Operations registered: 2.' });
  expect(await recorded()).toEqual([]);
  await change({ 'graphql.persisted_queries_only': true });
  expect((await execute(orders)).body).toMatchObject(executed);
  expect((await execute(products)).body).toMatchObject(executed);
});

test('chosen operations are registered, the others stay recorded', async () => {
  await execute(orders);
  await execute(products);
  const unknown = sha256('unknown');
  const { body } = await register([sha256(orders), unknown]);
  expect(body).toEqual({
    message: 'Operations registered: 1.',
    registered: [{ hash: sha256(orders), name: 'Orders' }],
    invalid: [],
    not_found: [unknown],
  });
  expect(await persisted()).toEqual([{ name: 'Orders', query: orders }]);
  expect(await recorded()).toMatchObject([{ query: products }]);
});

test('operations get the names of their operations, with a number if the name is taken', async () => {
  await admin.post('/api/v1/graphql/persisted', { query: orders, name: 'Orders' });
  await execute('query Orders { one: __typename }');
  await execute('query Orders { two: __typename }');
  await execute('{ __typename }');
  await execute('query First { __typename } query Second { __typename }', { operationName: 'Second' });
  await register();
  const names = (await persisted()).map(({ name }) => name);
  expect(names.toSorted()).toEqual(['Orders', 'Orders_2', 'Orders_3', 'Second', 'unnamed']);
});

test('an operation that is no longer valid is not registered and stays recorded', async () => {
  await execute(orders);
  const [old] = await recorded();
  const query = '{ a_field_that_was_removed }';
  await acme.db.run(sql`
    UPDATE unregistered_operations SET hash = ${sha256(query)}, query = ${query} WHERE hash = ${old?.hash}`);
  expect((await register()).body).toMatchObject({ registered: [], invalid: [sha256(query)], not_found: [] });
  expect(await persisted()).toEqual([]);
  expect(await recorded()).toMatchObject([{ query }]);
});

test('registering an operation by its text removes it from the recorded ones', async () => {
  await execute(orders);
  expect(await recorded()).toHaveLength(1);
  await admin.post('/api/v1/graphql/persisted', { query: orders, name: 'Orders' });
  expect(await recorded()).toEqual([]);
});

test('uses of two processes add up, and those of an operation that is registered meanwhile are dropped', async () => {
  await execute(orders);
  await executeInSecondProcess(orders);
  await getUnregisteredUses(other.kernel.services).flush(acme.id);
  expect(await recorded()).toMatchObject([{ query: orders, uses: 2 }]);
  await executeInSecondProcess(orders);
  await register();
  await getUnregisteredUses(other.kernel.services).flush(acme.id);
  expect(await recorded()).toEqual([]);
});

test('recorded operations can be deleted', async () => {
  await execute(orders);
  expect(await recorded()).toHaveLength(1);
  await execute(products);
  const { status, body } = await admin.delete(path);
  expect({ status, body }).toEqual({ status: 200, body: { message: 'Recorded operations deleted.' } });
  expect(await recorded()).toEqual([]);
});

test('the 1,000 most used operations are kept', async () => {
  await acme.db.run(sql`
    INSERT INTO unregistered_operations (hash, query, uses, first_seen_at, last_seen_at)
    SELECT n, '{ __typename }', n, now() - interval '1 day', now() - interval '1 day' FROM generate_series(1, 1000) n`);
  await execute(orders);
  await execute(products);
  await execute(products);
  const kept = await recorded();
  expect(kept).toHaveLength(1_000);
  expect(kept.slice(-2)).toMatchObject([{ query: products }, { hash: '2' }]);
});

test('at most 16 MB of operations are kept, the most used first', async () => {
  await acme.db.run(sql`
    INSERT INTO unregistered_operations (hash, query, uses, first_seen_at, last_seen_at)
    SELECT n, repeat('#', 1048576), n, now(), now() FROM generate_series(1, 16) n`);
  for (let use = 0; use < 3; use++) await execute(orders);
  await getUnregisteredUses(platform.kernel.services).flush(acme.id);
  const kept = await acme.db.rows<{ hash: string }>(sql`SELECT hash FROM unregistered_operations ORDER BY uses, hash`);
  expect(kept.map(({ hash }) => hash).slice(0, 3)).toEqual(['2', '3', sha256(orders)]);
  expect(kept).toHaveLength(16);
});

test('operations may contain personal data, so only managers of persisted queries see them', async () => {
  const viewer = acme.caller('graphql.persisted.view');
  expect((await viewer.get(path)).status).toBe(403);
  expect((await viewer.post(`${path}/register`, {})).status).toBe(403);
  expect((await viewer.delete(path)).status).toBe(403);
});

test('registering and deleting recorded operations is in the audit log', async () => {
  await execute(orders);
  await register();
  await execute(products);
  await admin.delete(path);
  const auditor = acme.caller('audit.view');
  const [registered] = await auditEntries(platform, auditor, 'graphql.registerUnregistered');
  const names = [{ hash: sha256(orders), name: 'Orders' }];
  expect(registered).toMatchObject({ outcome: 'ok', changes: { registered: [null, names] } });
  const [cleared] = await auditEntries(platform, auditor, 'graphql.clearUnregistered');
  expect(cleared).toMatchObject({ outcome: 'ok', changes: { operations: [1, 0] } });
});

test('recorded operations belong to their tenant', async () => {
  await execute(orders);
  const stranger = (await platform.tenant()).caller(...permissions);
  expect((await stranger.get(path)).body).toEqual({ unregistered_operations: [] });
  expect((await stranger.post(`${path}/register`, {})).body).toMatchObject({ registered: [] });
  expect(await recorded()).toHaveLength(1);
});
