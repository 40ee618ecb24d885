import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { raw, sql } from '@chowk/kit/kernel';
import { afterAll, expect, inject, test } from 'vitest';
import type { StoredDatabase, StoredRelease } from '../../../scripts/store-release.ts';
import { chowkd, serve } from '../../testing/chowkd.ts';
import { repositoryModules } from '../../testing/repository-modules.ts';
import { onSeparateConnection } from '../../testing/scratch-database.ts';
import type { Connection } from '../db/connection.ts';
import { type MigrationSource, migrate } from '../db/migrations.ts';
import { readMigrationSources } from '../loader/migration-sources.ts';

/* Installations of earlier releases, stored by scripts/store-release.ts, are upgraded to this version. */

const folder = join(import.meta.dirname, '../../testing/releases');
const releases = (await readdir(folder)).map((name) => name.replace('.json.gz', ''));
const sources = await readMigrationSources(await repositoryModules());
const storage = await mkdtemp(join(tmpdir(), 'chowk-upgrade-'));
const databases: string[] = [];

afterAll(async () => {
  await rm(storage, { recursive: true, force: true });
  for (const name of databases) await script(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
});

const script = (text: string) => onSeparateConnection('postgres', (connection) => connection.script(text));

function upTo(release: StoredDatabase, all: readonly MigrationSource[]): MigrationSource[] {
  const stored = new Set(release.migrations);
  return all.map(({ owner, migrations }) => ({
    owner,
    migrations: migrations.filter(({ name }) => stored.has(`${owner}/${name}`)),
  }));
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
type Json = any;

/** Creates a database as the release has left it. */
async function restore(name: string, stored: StoredDatabase, all: readonly MigrationSource[]): Promise<void> {
  databases.push(name);
  await script(`CREATE DATABASE "${name}"`);
  const { applied } = await migrate(inject('server'), name, upTo(stored, all));
  expect([...applied].sort()).toEqual([...stored.migrations].sort());
  await onSeparateConnection(name, async (connection) => {
    if (stored.tables.chowk_installation) await connection.script('CREATE TABLE chowk_installation (id uuid)');
    // Neither triggers nor references: the rows are complete.
    await connection.script('SET session_replication_role = replica');
    const { rows } = await connection.query<{ name: string }>(sql`
      SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'schema_migrations'`);
    await connection.script(`TRUNCATE ${rows.map((row) => row.name).join(', ')}`);
    for (const [table, content] of Object.entries(stored.tables)) await load(connection, table, content);
    // Databases that were prepared on the server of then.
    if (stored.tables.prepared_databases) await connection.script('DELETE FROM prepared_databases');
    for (const [sequence, value] of Object.entries(stored.sequences)) {
      await connection.query(sql`SELECT setval(${sequence}::regclass, ${value}::bigint)`);
    }
  });
}

async function load(connection: Connection, table: string, rows: string): Promise<void> {
  const { rows: columns } = await connection.query<{ name: string }>(sql`
    SELECT quote_ident(attname) AS name FROM pg_attribute
    WHERE attrelid = ${table}::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum`);
  const names = raw(columns.map(({ name }) => name).join(', '));
  await connection.query(sql`
    INSERT INTO ${raw(table)} (${names}) OVERRIDING SYSTEM VALUE
    SELECT ${names} FROM json_populate_recordset(NULL::${raw(table)}, ${rows}::json)`);
}

test.each(releases)(
  'an installation of %s is upgraded with its data and works',
  { timeout: 180_000 },
  async (version) => {
    const content = await promisify(gunzip)(await readFile(join(folder, `${version}.json.gz`)));
    const release: StoredRelease = JSON.parse(content.toString());
    const central = `central_${randomBytes(6).toString('hex')}`;
    await restore(central, release.central, sources.central);
    for (const [name, stored] of Object.entries(release.tenants)) await restore(name, stored, sources.tenant);

    const { port, user, password } = inject('server');
    const environment = {
      DATABASE_URL: `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${central}`,
      STORAGE_PATH: storage,
      APP_KEY: Buffer.alloc(32, 'test').toString('base64'),
      LOG_LEVEL: 'error',
    };
    const tooEarly = await chowkd(['tenant:list'], environment);
    expect(tooEarly).toMatchObject({ code: 1, err: expect.stringContaining("run 'chowkd migrate' first") });
    const plan = await chowkd(['migrate', '--plan'], environment);
    expect(plan.code).toBe(0);
    expect(await chowkd(['migrate'], environment)).toMatchObject({ code: 0 });
    const tenants = JSON.parse((await chowkd(['tenant:list', '--json'], environment)).out);
    expect(tenants).toMatchObject([{ id: 'acme-stores', migrations: 'done', ring: 'stable' }]);
    const doctor = await chowkd(['doctor', '--json'], environment);
    expect(JSON.parse(doctor.out)).toEqual([]);

    const { url } = await serve(environment);
    const request = async (path: string, body?: object, token = '') => {
      const response = await fetch(`${url}/api/v1${path}`, {
        method: body ? 'POST' : 'GET',
        headers: { 'x-tenant': 'acme-stores', 'content-type': 'application/json', authorization: `Bearer ${token}` },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      return { status: response.status, body: (await response.json()) as Json };
    };
    const login = await request('/auth/login', { email: 'asha@example.com', password: 'release-data-1' });
    expect(login.status).toBe(200);
    const { access_token: token } = login.body;
    const count = (table: string) => JSON.parse(release.tenants['tenantacme-stores']?.tables[table] ?? '[]').length;
    for (const name of ['orders', 'customers', 'products', 'conversations']) {
      const { status, body } = await request(`/${name}`, undefined, token);
      expect({ name, status, total: body.pagination?.total ?? body[name].length }).toMatchObject({ name, status: 200 });
      if (body.pagination) expect(body.pagination.total, name).toBe(count(name));
    }
    const webhooks = await request('/webhooks', undefined, token);
    expect(webhooks.body.webhooks).toMatchObject([{ url: 'https://example.com/hook', events: ['order.created'] }]);
    const item = { sku: 'TEA-9', quantity: 2 };
    const order = await request('/orders', { customer: { email: 'meera@example.com' }, items: [item] }, token);
    expect(order).toMatchObject({ status: 201, body: { order: { total: '16.00' } } });
    const [latest] = (await request('/products?search=TEA-9', undefined, token)).body.products;
    expect(latest).toMatchObject({ stock: 10, available: 6 });
  },
);
