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
  await migrateCommand.run(session, { positionals: [], options: { parallel: '1' } });
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
