import { sql } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { startPlatform, uniqueId } from '../../testing/platform.ts';
import { withConnection } from '../db/connection.ts';

const platform = await startPlatform();
const { central, directory } = platform.kernel;
const limits = { connectTimeoutMs: 5_000, queryTimeoutMs: 5_000 };

/** Changes the central database like another process or an operator with psql. */
async function runInOtherProcess(query: ReturnType<typeof sql>): Promise<void> {
  await withConnection(central.address, central.database, limits, (connection) => connection.query(query));
}

test('an alias added by another process is found, even if it was looked up before', async () => {
  const { id } = await platform.tenant();
  const alias = uniqueId();
  expect(await directory.find(alias)).toBeUndefined();
  await runInOtherProcess(sql`INSERT INTO domains (domain, tenant_id, kind) VALUES (${alias}, ${id}, 'alias')`);
  await expect.poll(() => directory.find(alias)).toMatchObject({ id });
});

test('an alias that another process moves to another tenant leads to that tenant', async () => {
  const [from, to] = [await platform.tenant(), await platform.tenant()];
  const alias = uniqueId();
  await runInOtherProcess(sql`INSERT INTO domains (domain, tenant_id, kind) VALUES (${alias}, ${from.id}, 'alias')`);
  await expect.poll(() => directory.find(alias)).toMatchObject({ id: from.id });
  await runInOtherProcess(sql`UPDATE domains SET tenant_id = ${to.id} WHERE domain = ${alias}`);
  await expect.poll(() => directory.find(alias)).toMatchObject({ id: to.id });
});

test('a tenant that another process renames or moves to another ring is updated under all its labels', async () => {
  const tenant = await platform.tenant();
  await runInOtherProcess(sql`UPDATE tenants SET name = 'Renamed' WHERE id = ${tenant.id}`);
  await expect.poll(async () => (await directory.find(tenant.id))?.name).toBe('Renamed');
});

test('requests to an alias that another process moves or removes follow it', async () => {
  const [from, to] = [await platform.tenant(), await platform.tenant()];
  const alias = uniqueId();
  const reached = async () => {
    const claim = { host: `${alias}.localhost`, header: undefined };
    const resolved = await Promise.try(() => directory.resolve(claim)).catch(() => undefined);
    return resolved?.tenant.id;
  };
  await runInOtherProcess(sql`INSERT INTO domains (domain, tenant_id, kind) VALUES (${alias}, ${from.id}, 'alias')`);
  await expect.poll(reached).toBe(from.id);
  await runInOtherProcess(sql`UPDATE domains SET tenant_id = ${to.id} WHERE domain = ${alias}`);
  await expect.poll(reached).toBe(to.id);
  await runInOtherProcess(sql`DELETE FROM domains WHERE domain = ${alias}`);
  await expect.poll(reached).toBeUndefined();
});

test('requests to a tenant that another process renames or deletes follow the change', async () => {
  const { id } = await platform.tenant();
  const reached = async () => {
    const claim = { host: 'localhost', header: id };
    const resolved = await Promise.try(() => directory.resolve(claim)).catch(() => undefined);
    return resolved?.tenant.name;
  };
  expect(await reached()).toBe(id);
  await runInOtherProcess(sql`UPDATE tenants SET name = 'Renamed' WHERE id = ${id}`);
  await expect.poll(reached).toBe('Renamed');
  await runInOtherProcess(sql`DELETE FROM tenants WHERE id = ${id}`);
  await expect.poll(reached).toBeUndefined();
});

test('a deleted tenant is not found', async () => {
  const { id } = await platform.tenant();
  await runInOtherProcess(sql`DELETE FROM tenants WHERE id = ${id}`);
  await expect.poll(() => directory.find(id)).toBeUndefined();
});

test('a rolled-back change has no effect', async () => {
  const { id } = await platform.tenant();
  const alias = uniqueId();
  const undone = central.db.tx(async (tx) => {
    await tx.run(sql`INSERT INTO domains (domain, tenant_id, kind) VALUES (${alias}, ${id}, 'alias')`);
    expect(await directory.find(alias)).toBeUndefined();
    throw new Error('undo');
  });
  await expect(undone).rejects.toThrow('undo');
  expect(await directory.find(alias)).toBeUndefined();
});

test('without notifications every lookup reads the central database', async () => {
  const { id } = await platform.tenant();
  await directory.find(id);
  await runInOtherProcess(sql`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = ${central.database} AND query LIKE 'LISTEN%' AND pid <> pg_backend_pid()`);
  await runInOtherProcess(sql`UPDATE tenants SET name = 'Unheard' WHERE id = ${id}`);
  await expect.poll(async () => (await directory.find(id))?.name, { timeout: 5_000 }).toBe('Unheard');
});

test('the hostname segment of a ring added by another process is known', async () => {
  expect(await directory.ringAt('stable')).toBe('stable');
  expect(await directory.ringAt('edge')).toBeUndefined();
  await runInOtherProcess(sql`
    INSERT INTO module_rings (name, display_name, manifest_path, k8s_namespace, k8s_service, hostname_segment)
    VALUES ('edge', 'Edge', '', '', '', 'edge')`);
  await expect.poll(() => directory.ringAt('edge')).toBe('edge');
});
