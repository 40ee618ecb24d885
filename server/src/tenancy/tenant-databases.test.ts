import { type Db, sql } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { startPlatform, uniqueId } from '../../testing/platform.ts';
import { silent } from '../../testing/silent-log.ts';
import { TenantDatabases } from './tenant-databases.ts';
import { createTenant } from './tenants.ts';

const platform = await startPlatform();
const { central } = platform.kernel;
const source = (text: string) => [{ owner: 'test', migrations: [{ name: '0001_test.sql', text, checksum: text }] }];

function spares(db: Db, fingerprint: string): Promise<{ name: string }[]> {
  return db.rows(
    sql`SELECT name FROM prepared_databases WHERE kind = 'spare' AND fingerprint = ${fingerprint} AND ready`,
  );
}

test('concurrent requests build the template only once', async () => {
  const processes = [1, 2, 3].map(() => new TenantDatabases(central, source('CREATE TABLE once (id int)'), 0, silent));
  const names = await Promise.all(processes.map((databases) => databases.ensureTemplate()));
  expect(new Set(names).size).toBe(1);
  const rows = await central.db.rows(sql`SELECT ready FROM prepared_databases WHERE name = ${names[0]}`);
  expect(rows).toEqual([{ ready: true }]);
});

test('a changed migration changes the fingerprint of the template', () => {
  const [one, other] = ['SELECT 1', 'SELECT 2'].map((text) => new TenantDatabases(central, source(text), 0, silent));
  expect(one?.fingerprint).not.toBe(other?.fingerprint);
});

test('an incomplete template is rebuilt after a crash', async () => {
  const databases = new TenantDatabases(central, source('CREATE TABLE whole (id int)'), 0, silent);
  const name = `${central.database}_template_${databases.fingerprint}`;
  const { identifier, runOutsideTransaction } = await import('./central-database.ts');
  await central.db.run(sql`
    INSERT INTO prepared_databases (name, kind, fingerprint) VALUES (${name}, 'template', ${databases.fingerprint})`);
  await runOutsideTransaction(central, sql`CREATE DATABASE ${identifier(name)}`);
  expect(await databases.ensureTemplate()).toBe(name);
  const copy = `tenant${uniqueId()}`;
  await databases.copyTemplate(copy);
  expect(await databases.isOurs(copy)).toBe(true);
});

test('spares are prepared, used by new tenants and refilled', async () => {
  const databases = new TenantDatabases(central, source('CREATE TABLE thing (id int)'), 2, silent);
  await databases.refillSpares();
  const before = await spares(central.db, databases.fingerprint);
  expect(before).toHaveLength(2);
  const id = uniqueId();
  await createTenant(central.db, databases, { id, name: id });
  await databases.waitForRefill();
  const after = await spares(central.db, databases.fingerprint);
  expect(after).toHaveLength(2);
  expect(before.filter(({ name }) => !after.some((spare) => spare.name === name))).toHaveLength(1);
  const entry = await platform.kernel.directory.find(id);
  expect(await entry?.db.rows(sql`SELECT * FROM thing`)).toEqual([]);
});

test('tenants created at once never share a spare', async () => {
  const databases = new TenantDatabases(central, source('CREATE TABLE mine (id text)'), 3, silent);
  await databases.refillSpares();
  const ids = Array.from({ length: 8 }, uniqueId);
  await Promise.all(ids.map((id) => createTenant(central.db, databases, { id, name: id })));
  await databases.waitForRefill();
  const entries = await Promise.all(ids.map((id) => platform.kernel.directory.find(id)));
  await Promise.all(entries.map((entry) => entry?.db.run(sql`INSERT INTO mine VALUES (${entry.id})`)));
  for (const entry of entries) expect(await entry?.db.rows(sql`SELECT id FROM mine`)).toEqual([{ id: entry?.id }]);
});

test('a rolled-back transaction returns the spare that it has claimed', async () => {
  const databases = new TenantDatabases(central, source('CREATE TABLE given_back (id int)'), 1, silent);
  await databases.refillSpares();
  const before = await spares(central.db, databases.fingerprint);
  const failure = central.db.tx(async (tx) => {
    expect(await databases.claimSpare(tx, `tenant${uniqueId()}`)).toBe(true);
    throw new Error('changed my mind');
  });
  await expect(failure).rejects.toThrow('changed my mind');
  expect(await spares(central.db, databases.fingerprint)).toEqual(before);
});

test('a spare that is still being copied is not used', async () => {
  const databases = new TenantDatabases(central, source('CREATE TABLE whole_copy (id int)'), 0, silent);
  const name = `${central.database}_spare_copying`;
  const { identifier, runOutsideTransaction } = await import('./central-database.ts');
  await central.db.run(sql`
    INSERT INTO prepared_databases (name, kind, fingerprint) VALUES (${name}, 'spare', ${databases.fingerprint})`);
  await runOutsideTransaction(central, sql`CREATE DATABASE ${identifier(name)}`);
  const id = uniqueId();
  await createTenant(central.db, databases, { id, name: id });
  const entry = await platform.kernel.directory.find(id);
  expect(await entry?.db.rows(sql`SELECT * FROM whole_copy`)).toEqual([]);
});

test('an incomplete spare is dropped before new ones are created', async () => {
  const databases = new TenantDatabases(central, source('CREATE TABLE leftover (id int)'), 1, silent);
  const name = `${central.database}_spare_leftover`;
  const { identifier, runOutsideTransaction, databaseExists } = await import('./central-database.ts');
  await central.db.run(sql`
    INSERT INTO prepared_databases (name, kind, fingerprint) VALUES (${name}, 'spare', ${databases.fingerprint})`);
  await runOutsideTransaction(central, sql`CREATE DATABASE ${identifier(name)}`);
  await databases.refillSpares();
  expect(await databaseExists(central, name)).toBe(false);
  expect(await spares(central.db, databases.fingerprint)).toHaveLength(1);
});

test('templates and spares that were not used for a week are dropped', async () => {
  const old = new TenantDatabases(central, source('CREATE TABLE outdated (id int)'), 1, silent);
  await old.refillSpares();
  await central.db.run(sql`
    UPDATE prepared_databases SET used_at = now() - interval '8 days' WHERE fingerprint = ${old.fingerprint}`);
  await new TenantDatabases(central, source('CREATE TABLE newer (id int)'), 0, silent).ensureTemplate();
  const left = await central.db.rows(sql`SELECT 1 FROM prepared_databases WHERE fingerprint = ${old.fingerprint}`);
  expect(left).toEqual([]);
});
