import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { chowkd, chowkdProcess, temporaryFolder } from '../../testing/chowkd.ts';
import { type ModuleRing, startModuleRing, succeed } from '../../testing/module-ring.ts';
import { writeLock } from '../../testing/module-sources.ts';
import { uniqueId } from '../../testing/platform.ts';
import { repository } from '../loader/lock-path.ts';

const provider = `
  import { action, Type } from '@chowk/kit';
  export const module = { actions: { 'notes.version': action({
    summary: 'Get the version', public: true, tenant: 'required', bus: { rateLimit: 600 },
    output: Type.Object({ version: Type.String() }), run: async () => ({ version: 'x' }),
  }) } };`;

/** A second ring with a lock file of its own. */
async function addRing(ring: ModuleRing, name: string): Promise<string> {
  const file = await writeLock(await temporaryFolder(), 'identity', 'administration');
  await ring.central(sql`
    INSERT INTO module_rings (name, display_name, description, manifest_path, k8s_namespace, k8s_service, hostname_segment, promotion_order)
    VALUES (${name}, ${name}, '', ${file}, '', '', ${name}, 1) RETURNING 1`);
  return file;
}

const readLock = async (file: string) => JSON.parse(await readFile(file, 'utf8'));

test('two rings change modules at the same time, and each keeps its own version', async () => {
  const ring = await startModuleRing([uniqueId()]);
  const edge = await addRing(ring, 'edge');
  for (const version of ['1.0.0', '1.1.0']) await ring.publishCode(version, provider);
  await ring.publishCode('1.0.0', 'export const module = {};', {
    alias: 'tasks',
    api: { consumes: ['notes.version'] },
  });
  const inRing = (...args: string[]) => succeed(chowkdProcess(args, ring.environment));
  await Promise.all([
    inRing('module:install', 'notes@1.0.0'),
    inRing('module:install', 'notes@1.1.0', '--ring=edge'),
    inRing('module:install', 'notes@1.1.0', '--ring=edge'),
  ]);
  await succeed(ring.run('module:install', 'tasks@1.0.0', '--ring=edge'));
  expect((await ring.lock()).modules.notes?.version).toBe('1.0.0');
  expect((await readLock(edge)).modules.notes.version).toBe('1.1.0');
  expect((await readdir(join(ring.modulesPath, 'notes'))).sort()).toEqual(['1.0.0', '1.1.0']);

  const removed = await ring.run('module:remove', 'notes', '--ring=edge', '--yes');
  expect(removed).toMatchObject({
    code: 1,
    err: expect.stringMatching(/the removal of notes is refused on the ring edge: tasks: .*notes\.version/),
  });
  const locked = await readLock(edge);
  await succeed(ring.run('module:lock', '--ring=edge'));
  expect((await readLock(edge)).modules).toMatchObject({ notes: locked.modules.notes, tasks: locked.modules.tasks });
  await succeed(ring.run('module:verify', '--ring=edge'));
  const rows = JSON.parse((await ring.run('module:list', '--json')).out);
  const rings = (version: string) =>
    rows.find((row: { alias: string; version: string }) => row.alias === 'notes' && row.version === version).rings;
  expect([rings('1.0.0'), rings('1.1.0')]).toEqual([['stable'], ['edge']]);
  expect(await ring.run('module:install', 'notes@1.1.0')).toMatchObject({
    code: 1,
    err: "chowkd: the ring stable has notes 1.0.0; run 'chowkd module:upgrade notes --to=1.1.0 --ring=stable'\n",
  });
  expect((await ring.run('module:install', 'notes@1.1.0', '--ring=canary')).err).toMatch(/there is no ring canary/);
}, 400_000);

test('a new machine installs what the lock file names, with its content, and needs no database', async () => {
  const ring = await startModuleRing([]);
  await ring.publishCode('1.0.0', provider);
  await succeed(ring.run('module:install', 'notes@1.0.0'));
  const MODULES_PATH = join(await temporaryFolder(), 'link');
  await symlink(await temporaryFolder(), MODULES_PATH);
  const machine = { ...ring.environment, MODULES_PATH, DATABASE_URL: 'postgres://u:p@127.0.0.1:1/none' };
  const verify = () => chowkd(['module:verify'], machine);
  expect(await verify()).toMatchObject({
    code: 1,
    out: expect.stringMatching(/notes 1\.0\.0, which is not installed/),
  });
  expect(JSON.parse((await succeed(chowkd(['module:install', '--locked', '--json'], machine))).out)).toMatchObject([
    { alias: 'notes', version: '1.0.0' },
  ]);
  expect(await verify()).toMatchObject({ code: 0 });
  expect((await succeed(chowkd(['module:install', '--locked'], machine))).out).toMatch(
    /^All modules of .* are there\.\n$/,
  );
  expect((await chowkd(['module:install', '--locked', 'notes@1.0.0'], machine)).code).toBe(2);
  expect((await chowkd(['module:install'], machine)).code).toBe(2);

  const lock = await ring.lock();
  const forged = join(await temporaryFolder(), 'forged.lock.json');
  const notes = { version: '1.0.0', integrity: 'sha256-other' };
  await writeFile(forged, JSON.stringify({ ...lock, modules: { notes } }));
  const another = { ...machine, MODULES_PATH: await temporaryFolder(), MODULE_LOCK_PATH: forged };
  expect(await chowkd(['module:install', '--locked'], another)).toMatchObject({
    code: 1,
    err: 'chowkd: the package notes@1.0.0 cannot be used: its content differs from the lock file\n',
  });
  expect(await readdir(another.MODULES_PATH)).toEqual([]);
}, 300_000);

test('a command that is killed leaves the lock file as it was, and can be run again', async () => {
  const tenant = uniqueId();
  const ring = await startModuleRing([tenant]);
  await ring.publishCode(
    '1.0.0',
    `import { sql } from '@chowk/kit';
     export const module = { hooks: { async install(ctx) {
       const [{ count }] = await ctx.db.rows(sql\`SELECT count(*)::int AS count FROM notes\`);
       await ctx.db.run(sql\`INSERT INTO notes VALUES (1)\`);
       if (count === 0) await new Promise((resolve) => setTimeout(resolve, 1e6));
     } } };`,
  );
  const before = await ring.lock();
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(join(repository, 'chowkd'), ['module:install', 'notes@1.0.0'], {
    env: { PATH, HOME, APP_ENV: 'testing', ...ring.environment },
    detached: true,
    stdio: 'ignore',
  });
  const rows = () => ring.tenant(tenant, sql`SELECT id FROM notes`).catch(() => []);
  await expect.poll(rows, { timeout: 100_000 }).toHaveLength(1);
  process.kill(-(child.pid as number), 'SIGKILL');
  await once(child, 'exit');
  expect(await ring.lock()).toEqual(before);
  await succeed(ring.run('module:install', 'notes@1.0.0'));
  expect(await rows()).toHaveLength(2);
  expect(await readdir(ring.modulesPath)).toEqual(['notes']);
  expect((await ring.lock()).modules.notes?.version).toBe('1.0.0');
}, 300_000);
