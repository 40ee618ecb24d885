import { sql } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { serve } from '../../testing/chowkd.ts';
import { type ModuleRing, startModuleRing, succeed } from '../../testing/module-ring.ts';
import { uniqueId } from '../../testing/platform.ts';

async function servedVersion({ environment }: ModuleRing, tenant: string) {
  const { url, stop } = await serve(environment);
  const response = await fetch(`${url}/api/v1/notes/version`, { headers: { 'x-tenant': tenant } });
  const body = (await response.json()) as { version: string };
  await stop();
  return body.version;
}

function history(ring: ModuleRing) {
  return ring.central(sql`
    SELECT operation, alias, from_value, to_value, status FROM ring_operations WHERE ring = 'stable' ORDER BY id`);
}

test('a module is installed, upgraded, rolled back and removed, with hooks for each tenant', async () => {
  const tenants = [uniqueId(), uniqueId()] as const;
  const ring = await startModuleRing(tenants);
  const notes = (id: string) => ring.tenant(id, sql`SELECT text FROM notes ORDER BY id`);
  await ring.publish({ version: '1.0.0' });
  await ring.publish({
    version: '1.1.0',
    files: { 'migrations/0002_color.sql': 'ALTER TABLE notes ADD COLUMN color text;' },
  });

  const installed = await succeed(ring.run('module:install', 'notes@1.0.0', '--json'));
  expect(JSON.parse(installed.out)).toEqual([{ alias: 'notes', ring: 'stable', from: null, to: '1.0.0' }]);
  for (const id of tenants) expect(await notes(id)).toEqual([{ text: 'installed' }]);
  const { notes: first } = (await ring.lock()).modules;
  expect(first).toMatchObject({ version: '1.0.0', integrity: expect.stringMatching(/^sha256-/) });

  await succeed(ring.run('module:upgrade', 'notes', '--to=1.1.0'));
  for (const id of tenants) {
    expect(await ring.tenant(id, sql`SELECT text, color FROM notes ORDER BY id`)).toEqual([
      { text: 'installed', color: null },
      { text: '1.0.0 to 1.1.0', color: null },
    ]);
  }
  const again = await ring.run('module:upgrade', 'notes', '--to=1.0.0');
  expect(again).toMatchObject({
    code: 1,
    err: expect.stringMatching(/not older than 1\.0\.0; 'chowkd module:rollback/),
  });

  await succeed(ring.run('module:rollback', 'notes'));
  expect((await ring.lock()).modules.notes).toEqual(first);
  expect(await servedVersion(ring, tenants[0])).toBe('1.0.0');

  const listed = JSON.parse((await succeed(ring.run('module:list', '--json'))).out);
  expect(listed).toContainEqual(
    expect.objectContaining({ alias: 'notes', version: '1.0.0', source: 'package', rings: ['stable'] }),
  );
  expect(listed).toContainEqual(
    expect.objectContaining({ alias: 'notes', version: '1.1.0', source: 'package', rings: [] }),
  );
  expect(JSON.parse((await succeed(ring.run('module:show', 'notes@1.1.0'))).out)).toMatchObject({ version: '1.1.0' });

  expect(await ring.run('module:remove', 'notes', '--yes')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/2 tenants of the ring stable have notes enabled \(.*\); disable it for them first/),
  });
  await ring.central(sql`UPDATE module_installations SET status = 'disabled' WHERE alias = 'notes' RETURNING 1`);
  expect((await ring.run('module:remove', 'notes')).code).toBe(2);
  await succeed(ring.run('module:remove', 'notes', '--yes'));
  expect((await ring.lock()).modules.notes).toBeUndefined();
  expect(await notes(tenants[0])).toContainEqual({ text: 'uninstalled' });

  await succeed(ring.run('module:rollback', 'notes'));
  expect((await ring.lock()).modules.notes).toEqual(first);
  const change = (operation: string, from: string | null, to: string | null) => {
    return { operation, alias: 'notes', from_value: from, to_value: to, status: 'done' };
  };
  expect(await history(ring)).toEqual([
    change('module.install', null, '1.0.0'),
    change('module.upgrade', '1.0.0', '1.1.0'),
    change('module.rollback', '1.1.0', '1.0.0'),
    change('module.remove', '1.0.0', null),
    change('module.rollback', null, '1.0.0'),
  ]);
}, 400_000);
