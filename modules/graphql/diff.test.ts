import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from '@chowk/kit';
import { afterAll, expect, inject, test } from 'vitest';
import { chowkd } from '../../server/testing/chowkd.ts';
import { startPlatform, type TestTenant, uniqueId } from '../../server/testing/platform.ts';

/* The ring edge has all modules, the ring stable has no conversations. */

const folder = await mkdtemp(join(tmpdir(), 'chowk-diff-'));
afterAll(() => rm(folder, { recursive: true, force: true }));
const repository = join(import.meta.dirname, '../..');
const currentSdl = join(repository, 'docs/schema.graphql');
const sdl = await readFile(currentSdl, 'utf8');
const lock = JSON.parse(await readFile(join(repository, 'modules/manifest.lock.json'), 'utf8'));
// The web chat does not work without them.
const { conversations: _, widget: __, ...otherModules } = lock.modules;
const stableLock = await write('stable.lock.json', JSON.stringify({ ...lock, modules: otherModules }));

const platform = await startPlatform();
const { central, config } = platform.kernel;
await central.db.run(sql`
  INSERT INTO module_rings (name, display_name, manifest_path, k8s_namespace, k8s_service, hostname_segment, promotion_order)
  VALUES ('edge', 'Edge', 'modules/manifest.lock.json', '', '', 'edge', 1)`);
const acme = await platform.tenant({ id: `a${uniqueId()}` });
const bazaar = await platform.tenant({ id: `b${uniqueId()}` });
const notMigrated = await platform.tenant();
const onStable = await platform.tenant();
await central.db.run(sql`
  UPDATE tenants SET module_ring_id = (SELECT id FROM module_rings WHERE name = 'edge')
  WHERE id <> ${onStable.id}`);
await notMigrated.db.run(sql`DROP TABLE persisted_queries`);
const queries = {
  Inbox: 'query Inbox { conversations { nodes { id } } }',
  Shop: 'query Shop { products { nodes { sku } } }',
  Outdated: 'query Outdated { conversations { nodes { colour } } }',
};
for (const tenant of [acme, bazaar, onStable]) await persist(tenant, queries);

async function write(name: string, text: string): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, text);
  return file;
}

function hashQuery(query: string): string {
  return createHash('sha256').update(query).digest('hex');
}

async function persist({ db }: TestTenant, entries: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, query] of Object.entries(entries)) {
    await db.run(sql`
      INSERT INTO persisted_queries (hash, name, query, created_at) VALUES (${hashQuery(query)}, ${name}, ${query}, now())`);
  }
}

function run(...options: readonly string[]) {
  const { port, user, password } = inject('server');
  return chowkd(['graphql:diff', ...options], {
    DATABASE_URL: `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${central.database}`,
    STORAGE_PATH: config.storagePath,
    APP_KEY: Buffer.alloc(32, 'test').toString('base64'),
    MODULE_LOCK_PATH: stableLock,
  });
}

function diff(from: string, to: string, ...options: readonly string[]) {
  return run(`--from=${from}`, `--to=${to}`, ...options);
}

test('a ring without a module breaks clients, and the persisted queries of the other ring that use it are named', async () => {
  const { code, out, err } = await diff('edge', 'stable', '--json');
  const { changes, broken_queries, broken_query_count } = JSON.parse(out);
  const breaking = changes.filter(({ severity }: { severity: string }) => severity === 'breaking');
  expect(changes[0]).toMatchObject({ severity: 'breaking' });
  expect(breaking).toContainEqual({
    severity: 'breaking',
    kind: 'FIELD_REMOVED',
    description: 'Query.conversations was removed.',
  });
  expect(broken_queries).toEqual(
    [acme, bazaar].map(({ id }) => ({
      tenant: id,
      name: 'Inbox',
      hash: hashQuery(queries.Inbox),
      error: expect.stringContaining('Cannot query field "conversations" on type "Query".'),
    })),
  );
  expect({ code, broken_query_count }).toEqual({ code: 1, broken_query_count: 2 });
  expect(err).toBe(
    `chowkd: breaking changes: ${breaking.length}, persisted queries that would no longer be valid: 2\n`,
  );
});

test('a ring with one more module changes nothing for clients', async () => {
  const { code, out, err } = await diff('stable', 'edge');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatch(/safe +FIELD_ADDED +Query\.conversations was added\./);
  expect(out).not.toMatch(/breaking|dangerous|Persisted queries/);
});

test('the schema of a release, as a file, is compared with a ring', async () => {
  expect(await diff(currentSdl, 'edge')).toEqual({
    code: 0,
    out: 'There are no changes that clients notice.\n',
    err: '',
  });
  const older = await write(
    'older.graphql',
    sdl.replace('type Conversation {', 'type Conversation {\n  colour: String'),
  );
  const { code, out } = await diff(older, 'edge');
  expect(code).toBe(1);
  expect(out).toMatch(/breaking +FIELD_REMOVED +Conversation\.colour was removed\./);
  expect(out).toMatch(new RegExp(`no longer be valid: 2\n.*\n${acme.id} +Outdated +${hashQuery(queries.Outdated)} `));
});

test('two files are compared without persisted queries', async () => {
  const [older, newer] = [await write('a.graphql', sdl), await write('b.graphql', 'type Query { id: ID }')];
  const { code, out } = await diff(older, newer, '--json');
  expect(code).toBe(1);
  expect(JSON.parse(out)).toMatchObject({ broken_queries: [], broken_query_count: 0 });
});

test.each([
  ['an unknown ring', 'canary', /^chowkd: there is no ring canary; the rings are stable, edge, .*\n$/],
  [
    'a file that does not exist',
    './nothing.graphql',
    /^chowkd: the schema \.\/nothing\.graphql cannot be read \(ENOENT\)\n$/,
  ],
  ['a file that is not a schema', stableLock, /^chowkd: the schema \S+ is not valid in line 1: .*\n$/],
])('%s is one clear line and exit code 1', async (__, from, message) => {
  expect(await diff(from, 'stable')).toEqual({ code: 1, out: '', err: expect.stringMatching(message) });
});

test('without --to the usage is printed', async () => {
  expect(await run('--from=stable')).toMatchObject({
    code: 2,
    err: expect.stringContaining('usage: chowkd graphql:diff'),
  });
});

test('a tenant whose database cannot be read is named', async () => {
  const { id } = await platform.tenant();
  await central.db.run(sql`
    UPDATE tenants SET database_name = 'lost', module_ring_id = (SELECT id FROM module_rings WHERE name = 'edge')
    WHERE id = ${id}`);
  const { code, err } = await diff('edge', 'edge');
  expect(code).toBe(1);
  expect(err).toMatch(new RegExp(`^chowkd: the persisted queries of the tenant ${id} cannot be read: .+\n$`));
});
