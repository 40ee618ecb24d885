import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from '@chowk/kit/kernel';
import { expect, inject, test } from 'vitest';
import { chowkd, startChowkd, temporaryFolder } from '../../testing/chowkd.ts';
import { writeLock } from '../../testing/module-sources.ts';
import { uniqueId } from '../../testing/platform.ts';
import { onSeparateConnection } from '../../testing/scratch-database.ts';
import { BackupStore } from '../backup/backup-store.ts';
import { folderStore } from '../backup/object-store.ts';

const modules = ['administration', 'customers', 'identity', 'installation', 'orders', 'pricing', 'products'] as const;
const key = 'correct-horse-battery-staple';

/** The environment of an installation on the test server that may create databases and nothing else. */
async function newEnvironment(backups: string, lock = [...modules] as string[]): Promise<Record<string, string>> {
  const name = `plain_${randomBytes(5).toString('hex')}`;
  await onSeparateConnection('postgres', (connection) =>
    connection.script(`CREATE ROLE ${name} LOGIN CREATEDB PASSWORD '${name}'`),
  );
  const STORAGE_PATH = await temporaryFolder();
  return {
    STORAGE_PATH,
    MODULE_LOCK_PATH: await writeLock(STORAGE_PATH, ...lock),
    DATABASE_COPY_STRATEGY: 'file_copy',
    DATABASE_URL: `postgres://${name}:${name}@127.0.0.1:${inject('server').port}/${name}`,
    BACKUP_PATH: backups,
    BACKUP_KEY: key,
  };
}

const databaseOf = ({ DATABASE_URL = '' }: Record<string, string>) => DATABASE_URL.split('/').at(-1) as string;

/** The number of rows of each table, and the rows of some. */
async function describeDatabase(name: string): Promise<Record<string, string>> {
  return onSeparateConnection(name, async (connection) => {
    const { rows: tables } = await connection.query<{ name: string }>(sql`
      SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`);
    const content: Record<string, string> = {};
    for (const { name: table } of tables) {
      let text = '';
      for await (const block of connection.copyOut(`COPY "${table}" TO STDOUT`)) text += block.toString();
      content[table] = text.split('\n').sort().join('\n');
    }
    return content;
  });
}

const listTasks = (name: string) =>
  onSeparateConnection(name, async (connection) => {
    const { rows } = await connection.query(sql`
      SELECT id, name, data, start_after FROM pgboss.job WHERE state < 'completed' ORDER BY id`);
    return rows;
  });

/** Those of the tenants, by id. */
const listDatabases = (name: string) =>
  onSeparateConnection(name, async (connection) => {
    const { rows } = await connection.query<{ name: string }>(sql`
      SELECT database_name AS name FROM tenants ORDER BY id`);
    return rows.map((row) => row.name);
  });

const dropDatabase = (name: string) =>
  onSeparateConnection('postgres', (connection) => connection.script(`DROP DATABASE "${name}" WITH (FORCE)`));

test('the whole platform is restored to an empty installation, once, and only with its key', async () => {
  const backups = await temporaryFolder();
  const environment = await newEnvironment(backups);
  const run = (...args: string[]) => chowkd(args, environment);
  const [acme, bazaar] = [uniqueId(), uniqueId()];
  const password = join(environment.STORAGE_PATH as string, 'password');
  await writeFile(password, 'correct horse battery');
  const installed = await run(
    'install',
    '--organization=Acme',
    `--slug=${acme}`,
    '--name=Asha Rao',
    '--email=asha@example.com',
    `--password-file=${password}`,
  );
  expect(installed).toMatchObject({ code: 0 });
  expect((await run('tenant:create', bazaar)).code).toBe(0);
  expect((await run('demo:seed', `--tenant=${bazaar}`, '--customers=20', '--seed=1')).code).toBe(0);
  // Work that waits, in a queue and in the database of a tenant.
  await run('doctor');
  const waiting = { job: 'mail.send', tenant: '', data: { n: 1 }, requestId: 'test' };
  await onSeparateConnection(databaseOf(environment), (connection) =>
    connection.query(sql`
      INSERT INTO pgboss.job (name, data, start_after) VALUES ('stable/mail', ${JSON.stringify(waiting)}, now() + interval '1 day')`),
  );
  await onSeparateConnection(`tenant${bazaar}`, (connection) =>
    connection.query(sql`
      INSERT INTO idempotency_keys (caller, key, request_hash, expires_at) VALUES ('1', 'key', 'hash', now() + interval '1 day')`),
  );
  const made = await run('backup', '--json');
  expect(made).toMatchObject({ code: 0 });
  const [summary] = JSON.parse(made.out);
  expect(summary).toMatchObject({ kind: 'platform', tenants: 2, failed: [], missing_files: 0 });
  const listed = JSON.parse((await run('backup:list', '--json')).out);
  expect(listed).toMatchObject([{ id: summary.id, tenants: 2 }]);
  expect(await run('backup:verify')).toMatchObject({ code: 0, out: expect.stringContaining('objects are intact') });
  expect(await run('backup:rehearse', bazaar)).toMatchObject({
    code: 0,
    out: expect.stringContaining(`${bazaar} can be restored from ${summary.id}`),
  });
  expect(await run('restore', '--yes')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/belongs to an installation; restore to an empty one/),
  });
  const tasksBefore = await listTasks(databaseOf(environment));
  expect(tasksBefore).toContainEqual(expect.objectContaining({ data: waiting }));
  const before = await describeDatabase(databaseOf(environment));
  const tenantBefore = await describeDatabase(`tenant${bazaar}`);

  // The machine is lost, with all databases.
  const empty = await newEnvironment(backups);
  const restore = (...args: string[]) => chowkd(['restore', '--yes', ...args], empty);
  expect(await restore()).toMatchObject({
    code: 1,
    err: expect.stringMatching(/databases of the backup exist already/),
  });
  for (const id of [acme, bazaar]) await dropDatabase(`tenant${id}`);
  expect(await chowkd(['restore', '--yes'], { ...empty, BACKUP_KEY: 'another-passphrase' })).toMatchObject({
    code: 1,
    err: expect.stringMatching(/BACKUP_KEY is not the one/),
  });
  expect(await chowkd(['restore', '--yes'], { ...empty, APP_KEY: randomBytes(32).toString('base64') })).toMatchObject({
    code: 1,
    err: expect.stringMatching(/APP_KEY is not that of the backup/),
  });
  const restored = await restore('--json');
  expect(restored).toMatchObject({ code: 0 });
  expect(JSON.parse(restored.out)).toMatchObject([{ backup: summary.id, tenants: 2 }]);

  for (const name of ['app.key', 'oauth-private.key', 'installed']) {
    const [old, own] = await Promise.all(
      [environment, empty].map(({ STORAGE_PATH = '' }) => readFile(join(STORAGE_PATH, name), 'utf8')),
    );
    expect(own).toBe(old);
  }
  expect(await listTasks(databaseOf(empty))).toEqual(tasksBefore);
  const changing = new Set([
    'schema_migrations',
    'prepared_databases',
    'backup_runs',
    'tenant_migrations',
    'module_call_counts',
  ]);
  const after = await describeDatabase(databaseOf(empty));
  for (const table of Object.keys(before).filter((name) => !changing.has(name))) {
    expect([table, after[table]]).toEqual([table, before[table]]);
  }
  const tenantAfter = await describeDatabase(`tenant${bazaar}`);
  for (const table of Object.keys(tenantBefore).filter((name) => !changing.has(name) && name !== 'event_log')) {
    expect([table, tenantAfter[table]]).toEqual([table, tenantBefore[table]]);
  }
  expect(await restore()).toMatchObject({ code: 1, err: expect.stringMatching(/belongs to an installation/) });
  await rm(join(empty.STORAGE_PATH as string, 'installed'));
  expect(await restore()).toMatchObject({ code: 1, err: expect.stringMatching(/has an installation with data/) });
  const doctor = await chowkd(['doctor', '--json'], empty);
  expect(JSON.parse(doctor.out).map(({ problem }: { problem: string }) => problem)).toEqual(['no backup']);
  expect((await chowkd(['tenant:create', uniqueId()], empty)).code).toBe(0);
  expect((await readdir(empty.STORAGE_PATH as string)).includes('restore')).toBe(false);
});

test('a restore that lacks a module of a ring says which one, and changes nothing', async () => {
  const backups = await temporaryFolder();
  const environment = await newEnvironment(backups);
  expect((await chowkd(['migrate'], environment)).code).toBe(0);
  expect((await chowkd(['tenant:create', uniqueId()], environment)).code).toBe(0);
  expect((await chowkd(['backup'], environment)).code).toBe(0);
  const store = await BackupStore.open(folderStore(backups), key);
  const manifest = await store.find('latest', () => true);
  const rings = manifest.rings.map(({ name, lock }) => {
    const { modules: locked, ...rest } = JSON.parse(lock ?? '{}');
    const kiosk = { version: '3.1.0', integrity: `sha256-${'A'.repeat(43)}=` };
    return { name, lock: JSON.stringify({ ...rest, modules: { ...locked, kiosk } }) };
  });
  await store.writeManifest({ ...manifest, rings });
  const empty = await newEnvironment(backups);
  expect(await chowkd(['restore', '--yes'], empty)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/the modules of the ring stable cannot be loaded: .*kiosk.*--installed-modules/),
  });
  expect(existsSync(join(empty.STORAGE_PATH as string, 'app.key'))).toBe(false);
});

test('each tenant is restored with the modules of its ring', async () => {
  const backups = await temporaryFolder();
  const environment = await newEnvironment(backups);
  const lock = await writeLock(await temporaryFolder(), ...modules, 'webhooks');
  const edge = { ...environment, RING_NAME: 'edge', MODULE_LOCK_PATH: lock };
  const [acme = '', bazaar = ''] = [uniqueId(), uniqueId()].sort();
  expect((await chowkd(['migrate'], environment)).code).toBe(0);
  for (const id of [acme, bazaar]) expect((await chowkd(['tenant:create', id], environment)).code).toBe(0);
  await onSeparateConnection(databaseOf(environment), async (connection) => {
    await connection.query(sql`
      INSERT INTO module_rings (name, display_name, manifest_path, k8s_namespace, k8s_service, hostname_segment)
      VALUES ('edge', 'Edge', ${lock}, 'edge', 'edge', 'edge')`);
    await connection.query(sql`
      UPDATE tenants SET module_ring_id = (SELECT id FROM module_rings WHERE name = 'edge') WHERE id = ${bazaar}`);
  });
  expect((await chowkd(['migrate'], edge)).code).toBe(0);
  expect((await chowkd(['backup'], environment)).code).toBe(0);
  // Rings share the databases: both have the tables of the ring edge.
  const listTables = async (id: string) => Object.keys(await describeDatabase(`tenant${id}`));
  const before = [await listTables(acme), await listTables(bazaar)];
  expect(before[0]).toContain('webhooks');
  expect(await chowkd(['backup:rehearse', acme], environment)).toMatchObject({ code: 0 });
  expect(await chowkd(['tenant:restore', acme, '--backup=latest', `--yes=${acme}`], environment)).toMatchObject({
    code: 0,
  });
  expect((await chowkd(['doctor', '--drop-orphans', '--yes'], environment)).code).toBe(0);
  expect((await chowkd(['backup'], environment)).code).toBe(0);
  const databases = await listDatabases(databaseOf(environment));
  for (const name of databases) await dropDatabase(name);
  const empty = await newEnvironment(backups);
  expect(await chowkd(['restore', '--yes'], empty)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/the ring edge had other modules: copy \S+edge\.lock\.json to/),
  });
  const after = [];
  for (const name of databases) after.push(Object.keys(await describeDatabase(name)));
  expect(after).toEqual(before);
  const saved = join(empty.STORAGE_PATH as string, 'lock-files', 'edge.lock.json');
  expect(await readFile(saved, 'utf8')).toBe(await readFile(lock, 'utf8'));
});

test('a restore that was killed starts again', async () => {
  const backups = await temporaryFolder();
  const environment = await newEnvironment(backups);
  const [acme, bazaar] = [uniqueId(), uniqueId()];
  expect((await chowkd(['migrate'], environment)).code).toBe(0);
  for (const id of [acme, bazaar]) expect((await chowkd(['tenant:create', id], environment)).code).toBe(0);
  expect((await chowkd(['backup'], environment)).code).toBe(0);
  for (const id of [acme, bazaar]) await dropDatabase(`tenant${id}`);
  const empty = await newEnvironment(backups);
  const restore = startChowkd(['restore', '--yes'], empty);
  const hasAny = async () =>
    (
      await onSeparateConnection('postgres', (connection) =>
        connection.query(sql`SELECT FROM pg_database WHERE datname IN (${`tenant${acme}`}, ${`tenant${bazaar}`})`),
      )
    ).rows.length > 0;
  await expect.poll(hasAny, { timeout: 60_000, interval: 20 }).toBe(true);
  restore.kill();
  await restore.exited;
  expect(existsSync(join(empty.STORAGE_PATH as string, 'installed'))).toBe(false);
  // PostgreSQL notices within seconds that the process is gone.
  const again = async () => (await chowkd(['restore', '--yes'], empty)).err;
  await expect.poll(again, { timeout: 60_000, interval: 500 }).not.toMatch(/another restore is under way/);
  const tenants = JSON.parse((await chowkd(['tenant:list', '--json'], empty)).out);
  expect(tenants.map(({ id }: { id: string }) => id)).toEqual([acme, bazaar].sort());
  expect(JSON.parse((await chowkd(['doctor', '--json'], empty)).out)).toMatchObject([{ problem: 'no backup' }]);
});
