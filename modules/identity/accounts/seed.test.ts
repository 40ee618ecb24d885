import { sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { loadModules } from '../../../server/src/loader/load-modules.ts';
import { startPlatform } from '../../../server/testing/platform.ts';
import { testConfig } from '../../../server/testing/test-config.ts';
import { testModule } from '../../../server/testing/test-module.ts';

const platform = await startPlatform();

test('the system roles receive the permissions of a module that is added later, by the rules of each role', async () => {
  const { manifest, ...notes } = testModule({ alias: 'notes' });
  const permissions = [
    { name: 'notes.view', description: 'View notes' },
    { name: 'notes.erase', description: 'Erase notes', sensitive: true },
    { name: 'notes.write', description: 'Write notes', roles: ['Manager' as const, 'Agent' as const] },
  ];
  const added = { ...notes, manifest: { ...manifest, permissions } };
  await startPlatform({ sharedWith: platform, modules: [...(await loadModules(testConfig())), added] });
  const { db } = platform.kernel.central;
  expect(
    await db.rows(sql`
      SELECT name, category, description, is_sensitive FROM permissions WHERE name LIKE 'notes.%' ORDER BY name`),
  ).toEqual([
    { name: 'notes.erase', category: 'notes', description: 'Erase notes', is_sensitive: true },
    { name: 'notes.view', category: 'notes', description: 'View notes', is_sensitive: false },
    { name: 'notes.write', category: 'notes', description: 'Write notes', is_sensitive: false },
  ]);
  const holders = await db.rows(sql`
    SELECT r.name AS role, array_agg(p.permission ORDER BY p.permission) AS permissions
    FROM role_permissions p JOIN roles r ON r.id = p.role_id WHERE p.permission LIKE 'notes.%' GROUP BY r.id ORDER BY r.id`);
  expect(holders).toEqual([
    { role: 'Owner', permissions: ['notes.erase', 'notes.view', 'notes.write'] },
    { role: 'Admin', permissions: ['notes.erase', 'notes.view', 'notes.write'] },
    { role: 'Manager', permissions: ['notes.write'] },
    { role: 'Agent', permissions: ['notes.write'] },
    { role: 'Viewer', permissions: ['notes.view'] },
  ]);
});
