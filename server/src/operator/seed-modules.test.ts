import { action, sql } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { type AccountsPlatform, startAccounts } from '../../testing/accounts.ts';
import { testConfig } from '../../testing/test-config.ts';
import { testModule } from '../../testing/test-module.ts';
import { loadModules } from '../loader/load-modules.ts';
import type { Session } from './command.ts';
import { migrateCommand } from './migrate.ts';
import { enableModules, seedModules } from './seed-modules.ts';

const existing = await loadModules(testConfig());

/** A module with a permission and a route of its own. */
function newModule(alias: string, migration?: string) {
  const module = testModule({
    alias,
    ...(migration === undefined ? {} : { migration }),
    actions: {
      [`${alias}.list`]: action({
        summary: 'List',
        http: `GET /${alias}`,
        needs: `${alias}.view`,
        run: async () => ({}),
      }),
    },
  });
  return { ...module, manifest: { ...module.manifest, permissions: [`${alias}.view`] } };
}

/** 2.0.0 has one more permission. */
function versioned(alias: string, version: '1.0.0' | '2.0.0') {
  const { manifest } = newModule(alias);
  const permissions = version === '1.0.0' ? [`${alias}.view`] : [`${alias}.view`, `${alias}.track`];
  return { manifest: { ...manifest, version, permissions } };
}

async function install({ kernel }: AccountsPlatform): Promise<void> {
  await kernel.central.db.run(sql`INSERT INTO platform_settings (key, value) VALUES ('installed', '{}')`);
}

test('the owner of an installed platform can use a module that was added later, after a restart', async () => {
  const before = await startAccounts();
  await install(before);
  const acme = await before.tenant();
  const after = await startAccounts({ sharedWith: before, modules: [...existing, newModule('added')] });
  const owner = await after.person({ tenant: acme });
  expect((await owner.get('/api/v1/added')).status).toBe(404);
  await seedModules(after.kernel);
  await enableModules(after.kernel);
  await expect.poll(async () => (await owner.get('/api/v1/added')).status).toBe(200);
});

test('chowkd migrate seeds and enables a new module and migrates its tables', async () => {
  const before = await startAccounts();
  await install(before);
  const acme = await before.tenant();
  const after = await startAccounts({
    sharedWith: before,
    modules: [...existing, newModule('points', 'CREATE TABLE points (n int)')],
  });
  const session = { kernel: async () => after.kernel, say() {}, table() {}, progress() {} } as unknown as Session;
  await migrateCommand.run(session, { positionals: [], options: { parallel: '1', batch: '10', pause: '0' } });
  const owner = await after.person({ tenant: acme });
  await expect.poll(async () => (await owner.get('/api/v1/points')).status).toBe(200);
  expect(await acme.db.rows(sql`SELECT * FROM points`)).toEqual([]);
});

test('a module that a tenant has disabled stays disabled, and one that is not migrated is not enabled', async () => {
  const before = await startAccounts();
  const [acme, disabling, behind] = [await before.tenant(), await before.tenant(), await before.tenant()];
  const { kernel } = await startAccounts({ sharedWith: before, modules: [...existing, newModule('stamps')] });
  await kernel.installations.set(disabling.id, 'stamps', 'disabled');
  await kernel.central.db.run(sql`UPDATE tenant_migrations SET applied = '{}' WHERE tenant_id = ${behind.id}`);
  await enableModules(kernel);
  const enabled = await kernel.installations.tenantsWith('stamps');
  expect(enabled).toContain(acme.id);
  expect(enabled).not.toContain(disabling.id);
  expect(enabled).not.toContain(behind.id);
});

test('before the platform is installed nothing is seeded', async () => {
  const { kernel } = await startAccounts();
  const { db } = kernel.central;
  await db.run(sql`DELETE FROM role_permissions`);
  await seedModules(kernel);
  expect(await db.rows(sql`SELECT FROM role_permissions`)).toEqual([]);
});

test('a ring with an older version removes nothing of a newer one, and shows only its own permissions', async () => {
  const newer = await startAccounts({
    modules: [...existing, { ...newModule('parcels'), ...versioned('parcels', '2.0.0') }],
  });
  await install(newer);
  const older = await startAccounts({
    sharedWith: newer,
    modules: [...existing, { ...newModule('parcels'), ...versioned('parcels', '1.0.0') }],
  });
  const acme = await newer.tenant();
  await Promise.all([newer, older, newer, older].map(({ kernel }) => seedModules(kernel)));
  await seedModules(older.kernel);
  const { db } = newer.kernel.central;
  const [stored] = await db.rows(
    sql`SELECT configuration->>'version' AS version FROM module_configurations WHERE alias = 'parcels'`,
  );
  expect(stored).toEqual({ version: '2.0.0' });

  const owner = await newer.person({ tenant: acme });
  const permissions = ['parcels.track', 'parcels.view'];
  const { body } = await owner.post('/api/v1/roles', { name: 'Courier', description: '', permissions });
  expect(body.role.permissions).toEqual(permissions);
  const olderOwner = await older.person({ tenant: acme });
  const path = `/api/v1/roles/${body.role.id}`;
  expect((await olderOwner.get(path)).body.role.permissions).toEqual(['parcels.view']);
  const listed = (await olderOwner.get('/api/v1/permissions')).body.permissions.map(
    ({ name }: { name: string }) => name,
  );
  expect(listed.filter((name: string) => name.startsWith('parcels.'))).toEqual(['parcels.view']);
  const changed = await olderOwner.patch(path, { permissions: ['customers.view'] });
  expect(changed.body.role.permissions).toEqual(['customers.view']);
  expect((await owner.get(path)).body.role.permissions).toEqual(['customers.view', 'parcels.track']);
});
