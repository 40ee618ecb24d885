import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { startPlatform, uniqueId } from '../../testing/platform.ts';
import { databaseExists, identifier, runOutsideTransaction } from './central-database.ts';
import { type Finding, findProblems } from './doctor.ts';
import { createTenant, listTenantStates, listTenants } from './tenants.ts';

const platform = await startPlatform();
const { central, databases } = platform.kernel;
// A separate installation and template, so that databases of other test files are ignored.
await central.db.run(sql`DELETE FROM prepared_databases`);
await central.db.run(sql`UPDATE installation SET id = gen_random_uuid()`);
await databases.ensureTemplate();

async function findings(): Promise<string[]> {
  return (await findProblems(central, databases)).map(({ problem, subject }) => `${problem}: ${subject}`);
}

async function repairAll(which: (finding: Finding) => boolean = ({ destroysData }) => !destroysData): Promise<void> {
  for (const finding of await findProblems(central, databases)) if (which(finding)) await finding.repair?.();
}

test('a consistent platform has no findings', async () => {
  await platform.tenant();
  expect(await findings()).toEqual([]);
});

test('an orphaned database is dropped only on request; a database of another installation is ignored', async () => {
  const [ours, foreign] = [`tenant${uniqueId()}`, `tenant${uniqueId()}`];
  await databases.copyTemplate(ours);
  await runOutsideTransaction(central, sql`CREATE DATABASE ${identifier(foreign)}`);
  expect(await findings()).toEqual([`orphaned database: ${ours}`]);
  await repairAll();
  expect(await databaseExists(central, ours)).toBe(true);
  await repairAll(() => true);
  expect(await findings()).toEqual([]);
  expect(await databaseExists(central, ours)).toBe(false);
  expect(await databaseExists(central, foreign)).toBe(true);
});

test('kept databases and those of a restore without a record are found on request', async () => {
  const [kept, restored] = [`kept_tenant${uniqueId()}_0a1b2c3d`, `restored_${uniqueId()}_20260101000000`];
  for (const name of [kept, restored]) await databases.copyTemplate(name);
  expect(await findings()).toEqual([`kept database: ${kept}`, `orphaned database: ${restored}`]);
  await repairAll();
  expect(await findings()).toHaveLength(2);
  await repairAll(() => true);
  expect(await findings()).toEqual([]);
});

test('a tenant without its database is reported and cannot be repaired automatically', async () => {
  const { id } = await platform.tenant();
  await databases.drop(`tenant${id}`);
  const [finding] = await findProblems(central, databases);
  expect(finding).toMatchObject({
    problem: 'missing database',
    subject: id,
    remedy: `restore tenant${id} from a backup`,
  });
  expect(finding?.repair).toBeUndefined();
  await central.db.run(sql`DELETE FROM tenants WHERE id = ${id}`);
});

test('a tenant without a random domain gets one', async () => {
  const { id } = await platform.tenant();
  await central.db.run(sql`DELETE FROM domains WHERE tenant_id = ${id} AND kind = 'random'`);
  expect(await findings()).toEqual([`no random domain: ${id}`]);
  await repairAll();
  expect(await findings()).toEqual([]);
});

test('a tenant whose migration failed or is missing is reported and migrated', async () => {
  const [failed, behind] = [await platform.tenant(), await platform.tenant()];
  await central.db.run(sql`
    UPDATE tenant_migrations SET status = 'failed', error = 'no space' WHERE tenant_id = ${failed.id}`);
  await central.db.run(sql`UPDATE tenant_migrations SET applied = '{}' WHERE tenant_id = ${behind.id}`);
  const states = async () => {
    const tenants = await listTenantStates(central.db, databases.migrationIds);
    return [failed, behind].map(({ id }) => tenants.find((tenant) => tenant.id === id)?.migrations);
  };
  expect(await states()).toEqual(['failed', 'pending']);
  expect((await findings()).sort()).toEqual(
    [`failed migration: ${failed.id}: no space`, `missing migrations: ${behind.id}`].sort(),
  );
  await repairAll();
  expect(await findings()).toEqual([]);
  expect(await states()).toEqual(['done', 'done']);
});

test('the row of a missing spare is deleted, and an orphaned spare is dropped', async () => {
  const [gone, unknown] = ['gone', 'unknown'].map((name) => `${central.database}_spare_${name}`) as [string, string];
  await central.db.run(sql`
    INSERT INTO prepared_databases (name, kind, fingerprint, ready) VALUES (${gone}, 'spare', 'x', true)`);
  await databases.copyTemplate(unknown);
  expect(await findings()).toEqual([`missing spare database: ${gone}`, `orphaned spare: ${unknown}`]);
  await repairAll();
  expect(await findings()).toEqual([]);
});

test('after processes are killed while creating tenants, a repair completes all tenants', async () => {
  for (const [round, prefix] of [uniqueId(), uniqueId(), uniqueId()].entries()) {
    await createUntilKilled(prefix, 40 + 60 * round);
    // The server finishes the statements of the killed process.
    await expect.poll(creatingOnServer, { timeout: 20_000 }).toBe(0);
  }
  await central.db.run(sql`UPDATE tenants SET created_at = now() - interval '1 hour'`);
  await repairAll();
  expect(await findings()).toEqual([]);
  const tenants = await listTenants(central.db);
  expect(tenants.length).toBeGreaterThan(0);
  for (const { id, database } of tenants) {
    const entry = await platform.kernel.directory.find(id);
    const row = await entry?.db.row<{ name: string }>(sql`SELECT current_database() AS name FROM schema_migrations`);
    expect(row?.name).toBe(database);
  }
  const again = uniqueId();
  expect((await createTenant(central.db, databases, { id: again, name: again })).status).toBe('active');
});

async function createUntilKilled(prefix: string, afterMs: number): Promise<void> {
  const { host, port, user, password } = central.address;
  const url = `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${central.database}`;
  const child = spawn(process.execPath, [resolve(import.meta.dirname, '../../testing/create-tenants.ts'), prefix], {
    env: { ...process.env, APP_ENV: 'testing', SPARE_DATABASES: '2', DATABASE_URL: url, PGHOST: host },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  await pause(afterMs);
  child.kill('SIGKILL');
  await once(child, 'exit');
}

async function creatingOnServer(): Promise<number> {
  const row = await central.db.row<{ count: number }>(sql`
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = ${central.database} AND pid <> pg_backend_pid() AND state <> 'idle'
      AND (query LIKE 'CREATE DATABASE%' OR query LIKE 'DROP DATABASE%' OR query LIKE 'ALTER DATABASE%')`);
  return row?.count ?? 0;
}
