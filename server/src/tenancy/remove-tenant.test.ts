import { raw, sql } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { startAccounts } from '../../testing/accounts.ts';
import { filledTenant } from '../../testing/archives.ts';
import { storedFiles } from '../../testing/stored-files.ts';
import { archiveServices } from '../operator/archive-services.ts';
import { centralRows, deleteTenant } from './remove-tenant.ts';

const platform = await startAccounts();
const { kernel } = platform;
const { db } = kernel.central;
const parts = await archiveServices(kernel);

interface Column {
  readonly name: string;
  readonly cascades: boolean;
}

/** The columns of the central database with the id of a tenant. */
function tenantColumns(): Promise<Column[]> {
  return db.rows<Column>(sql`
    SELECT c.relname || '.' || a.attname AS name, EXISTS (
        SELECT FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'f' AND k.confdeltype = 'c'
          AND k.confrelid = 'tenants'::regclass AND k.conkey = ARRAY[a.attnum]) AS cascades
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attname LIKE '%tenant_id' ORDER BY 1`);
}

test('every table of the central database says what happens to its rows when a tenant is archived or deleted', async () => {
  const columns = await tenantColumns();
  expect(columns.map(({ name }) => name).sort()).toEqual(Object.keys(centralRows).sort());
  // `FileStore.removeTenant` deletes these.
  const deleted = new Set(['unsettled_files.tenant_id']);
  const forgotten = columns.filter(
    ({ name, cascades }) => centralRows[name] !== 'kept' && !cascades && !deleted.has(name),
  );
  expect(forgotten).toEqual([]);
});

test('deleting a tenant removes its database, files, jobs, API clients and rows, and no others', async () => {
  const [acme, globex] = [await filledTenant(platform, { size: 5 }), await filledTenant(platform, { size: 5 })];
  const { tenant, owner } = acme;
  const password = owner.password;
  const client = await owner.post('/api/v1/api-clients', { name: 'Shop', scopes: ['orders.view'], password });
  expect(client.status).toBe(201);
  await db.run(sql`
    INSERT INTO pgboss.job (name, data, start_after)
    SELECT name, jsonb_build_object('job', 'x', 'tenant', ${tenant.id}::text), now() + interval '1 day' FROM pgboss.queue LIMIT 1`);
  const others = (await storedFiles(kernel)).filter((path) => !path.includes(`/${tenant.id}/`));
  await deleteTenant(parts, tenant.id);
  expect(await kernel.databases.exists(`tenant${tenant.id}`)).toBe(false);
  expect(await storedFiles(kernel)).toEqual(others);
  expect(await db.rows(sql`SELECT FROM pgboss.job WHERE data->>'tenant' = ${tenant.id}`)).toEqual([]);
  for (const { name } of await tenantColumns()) {
    const [table = '', column = ''] = name.split('.');
    const rows = await db.rows(sql`
      SELECT FROM (SELECT to_jsonb(t) AS row FROM ${raw(table)} t) r WHERE row->>${column} = ${tenant.id}`);
    expect([name, rows.length]).toEqual([name, 0]);
  }
  const services = await db.rows(sql`SELECT FROM users WHERE kind = 'service' AND disabled_at IS NULL`);
  expect(services).toEqual([]);
  expect((await globex.owner.get('/api/v1/customers')).status).toBe(200);
  expect((await owner.get('/api/v1/customers')).status).toBe(404);
  await deleteTenant(parts, tenant.id);
});

test("the platform's own tenant is never deleted", async () => {
  const { id } = await platform.tenant({ role: 'platform_owner' });
  await expect(deleteTenant(parts, id)).rejects.toThrow("is the platform's own tenant and cannot be deleted");
  expect(await kernel.databases.exists(`tenant${id}`)).toBe(true);
  expect(await kernel.directory.find(id)).toBeDefined();
});
