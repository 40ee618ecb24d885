import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { startAccounts } from '../../testing/accounts.ts';
import { chowkdProcess, serve } from '../../testing/chowkd.ts';
import { startModuleRing, succeed } from '../../testing/module-ring.ts';
import { writePackage, writeTestLock } from '../../testing/packages.ts';
import { uniqueId } from '../../testing/platform.ts';
import { readConfig } from '../config/config.ts';
import type { LockedModule } from '../loader/lock-file.ts';
import { runHook } from '../packages/child-steps.ts';
import { moduleHookCommand } from './module-hook.ts';

const code = (hooks: string, version = 'new') => `
  import { action, sql, Type } from '@chowk/kit';
  export const module = { hooks: { ${hooks} }, actions: { 'notes.version': action({
    summary: 'Get the version', http: 'GET /notes/version', public: true, tenant: 'required',
    output: Type.Object({ version: Type.String() }), run: async () => ({ version: '${version}' }),
  }) } };`;

/** Bodies of upgrade hooks, and what the operator is told. */
const failing: Record<string, [body: string, reason: string]> = {
  throws: ["throw new Error('no disk')", 'no disk'],
  'throws later': [
    "setTimeout(() => { throw new TypeError('too late') }); await new Promise(() => {})",
    'TypeError: too late',
  ],
  'exits with 0': ['process.exit(0)', 'the process ended with code 0'],
  'exits with 3': ['process.exit(3)', 'the process ended with code 3'],
  'kills itself': [
    "process.kill(process.pid, 'SIGKILL'); await new Promise(() => {})",
    'the process was ended by SIGKILL',
  ],
  'never ends': ["console.log('done'); for (;;);", 'it took longer than 2 seconds'],
};

const refusal = (tenant: string, reason: string) =>
  `the upgrade hook of notes failed for the tenant ${tenant}: ${reason}; the ring stable stays on notes 1.0.0. ` +
  "Correct the cause and run the command again, or run 'chowkd module:rollback notes --ring=stable'";

test('a hook that throws, ends its process or never ends fails, with the tenant and what to do', async () => {
  const tenant = uniqueId();
  const ring = await startModuleRing([tenant]);
  const { modules: others } = await ring.lock();
  const [own, draft] = [join(ring.modulesPath, 'own.lock.json'), join(ring.modulesPath, 'draft.lock.json')];
  const write = async (file: string, version: string, hooks = '') => {
    // Tenants have a system module without an installation.
    const manifest = { system: true };
    const notes = await writePackage(ring.modulesPath, {
      alias: 'notes',
      version,
      manifest,
      code: `hooks: { ${hooks} }`,
    });
    return writeTestLock(file, 'stable', { ...others, notes });
  };
  const modules = {
    config: readConfig(ring.environment),
    environment: ring.environment,
    ring: 'stable',
    lock: await write(own, '1.0.0'),
  };
  const problems: Record<string, string> = {};
  for (const [index, [name, [body]]] of Object.entries(failing).entries()) {
    const to = `1.${index + 1}.0`;
    await write(draft, to, `async upgrade() { ${body} }`);
    // Short only where the hook never ends: a slow machine needs a while for the others.
    const config = { ...modules.config, ...(name === 'never ends' ? { moduleHookTimeoutSeconds: 2 } : {}) };
    const upgrade = { alias: 'notes', hook: 'upgrade', from: '1.0.0', to } as const;
    await runHook({ ...modules, config }, draft, upgrade).catch((error) => {
      problems[name] = error.message;
    });
  }
  const expected = Object.entries(failing).map(([name, [, reason]]) => [name, refusal(tenant, reason)]);
  expect(problems).toEqual(Object.fromEntries(expected));
});

test('a hook that fails leaves the old version, and can be corrected', async () => {
  const [first, second] = [`a${uniqueId()}`, `b${uniqueId()}`];
  const ring = await startModuleRing([first, second], { RATE_LIMIT_PER_MINUTE: '0' });
  const tasks = await Promise.all(
    ['1.0.0', '1.1.0'].map((version) => writePackage(ring.modulesPath, { alias: 'tasks', version })),
  );
  const { modules: own } = await ring.lock();
  await writeTestLock(ring.environment.MODULE_LOCK_PATH as string, 'stable', {
    ...own,
    tasks: tasks[0] as LockedModule,
  });
  await ring.publishCode('1.0.0', `console.log('[');\n${code('', '1.0.0')}`);
  await succeed(ring.run('module:install', 'notes@1.0.0'));
  const before = await ring.lock();
  const { url, stop } = await serve(ring.environment);
  const servedVersion = async (at = url) => {
    const response = await fetch(`${at}/api/v1/notes/version`, { headers: { 'x-tenant': first } });
    const body = (await response.json()) as { version?: string };
    return body.version ?? body;
  };
  expect(await servedVersion()).toBe('1.0.0');
  await ring.publishCode(
    '1.1.0',
    code(`async upgrade(ctx) { if (ctx.tenant.id === '${second}') throw new Error('no disk') }`),
  );
  const upgrade = ring.run('module:upgrade', 'notes', '--to=1.1.0');
  // What a hook does, the old version serves meanwhile.
  let isDone = false;
  void upgrade.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    expect(await servedVersion()).toBe('1.0.0');
    await pause(200);
  }
  expect(await upgrade).toEqual({ code: 1, out: '', err: `chowkd: ${refusal(second, 'no disk')}\n` });
  expect(await ring.lock()).toEqual(before);
  expect(await chowkdProcess(['module:verify'], ring.environment)).toMatchObject({ code: 0 });
  await stop();
  const restarted = await serve(ring.environment);
  expect(await servedVersion(restarted.url)).toBe('1.0.0');
  const failed = await ring.central<{ status: string; step: string }>(sql`
    SELECT status, details->>'step' AS step FROM ring_operations WHERE operation = 'module.upgrade'`);
  expect(failed).toEqual([{ status: 'failed', step: 'hook' }]);

  const rolledBack = await succeed(ring.run('module:rollback', 'notes', '--json'));
  expect(JSON.parse(rolledBack.out)).toEqual([{ alias: 'notes', ring: 'stable', from: '1.1.0', to: '1.0.0' }]);
  expect(await ring.lock()).toEqual(before);

  // Another module is promoted while the hook runs.
  const wait =
    'while (!(await ctx.db.row(sql`SELECT FROM notes WHERE id = 2`))) await new Promise((resolve) => setTimeout(resolve, 20));';
  await ring.publishCode(
    '2.0.0',
    code(`async upgrade(ctx) {
      if (ctx.tenant.id === '${second}') { await ctx.db.run(sql\`INSERT INTO notes VALUES (1)\`); ${wait} }
      setInterval(() => {}, 1000);
    }`),
  );
  const upgraded = ring.run('module:upgrade', 'notes', '--to=2.0.0', '--reason=faster');
  await expect.poll(() => ring.tenant(second, sql`SELECT id FROM notes`), { timeout: 60_000 }).toHaveLength(1);
  await succeed(ring.run('ring:promote', 'tasks', '--to=stable', '--with-version=1.1.0'));
  expect(await servedVersion(restarted.url)).toBe('1.0.0');
  await ring.tenant(second, sql`INSERT INTO notes VALUES (2) RETURNING 1`);
  await succeed(upgraded);
  const versions = async () => {
    const { notes, tasks } = (await ring.lock()).modules;
    return [notes?.version, tasks?.version];
  };
  expect(await versions()).toEqual(['2.0.0', '1.1.0']);
  const [last] = JSON.parse((await succeed(ring.run('ring:history', '--limit=1', '--json'))).out);
  expect(last).toMatchObject({ operation: 'module.upgrade', to_value: '2.0.0', reason: 'faster' });
  await succeed(ring.run('ring:rollback', 'stable'));
  expect(await versions()).toEqual(['1.0.0', '1.1.0']);
  await succeed(ring.run('ring:rollback', 'stable'));
  expect((await ring.lock()).modules).toEqual(before.modules);

  // An uninstall hook that fails leaves the module, and an install hook leaves the ring without it.
  await ring.publishCode(
    '3.0.0',
    code("async uninstall() { throw new Error('in use') }, async install() { throw new Error('full') }"),
  );
  const refused = (hook: string, reason: string, state: string) => ({
    code: 1,
    err: expect.stringMatching(
      `the ${hook} hook of notes failed for the tenant \\w+: ${reason}; the ring stable stays ${state}\\.`,
    ),
  });
  await succeed(ring.run('module:upgrade', 'notes', '--to=3.0.0'));
  await ring.central(sql`UPDATE module_installations SET status = 'disabled' WHERE alias = 'notes' RETURNING 1`);
  expect(await ring.run('module:remove', 'notes', '--yes')).toMatchObject(
    refused('uninstall', 'in use', 'on notes 3.0.0'),
  );
  expect((await ring.lock()).modules.notes?.version).toBe('3.0.0');
  const { notes: _, ...others } = (await ring.lock()).modules;
  await writeTestLock(ring.environment.MODULE_LOCK_PATH as string, 'stable', others);
  await ring.central(sql`UPDATE module_installations SET status = 'enabled' WHERE alias = 'notes' RETURNING 1`);
  expect(await ring.run('module:install', 'notes@3.0.0')).toMatchObject(refused('install', 'full', 'without notes'));
  expect((await ring.lock()).modules.notes).toBeUndefined();
}, 600_000);

test('a version that does not load, or breaks another module, is refused before anything changes', async () => {
  const ring = await startModuleRing([uniqueId()]);
  const before = await ring.lock();
  await ring.publishCode('1.0.0', 'console.log("loading"); process.exit(0); export const module = {};');
  await ring.publishCode('1.1.0', 'export const module = {};', { compatibility: { platform: '^9.0.0' } });
  await ring.publishCode('1.2.0', 'export const module = {};', { api: { consumes: ['orders.get'] } });
  await ring.publishCode('1.3.0', 'export const module = {};', {
    api: {
      consumes: [
        { operation: 'identity.seed', input: { type: 'object', required: ['gone'] }, output: { type: 'string' } },
      ],
    },
    system: true,
  });
  const refused = {
    '1.0.0': /the process ended with code 0/,
    '1.1.0': /needs platform \^9\.0\.0, but this is platform 1\.0\.0/,
    '1.2.0': /no module in the lock file provides orders\.get/,
    '1.3.0': /identity\.seed is not compatible with the version that the module was built against/,
  };
  for (const [version, reason] of Object.entries(refused)) {
    const { code: exit, err } = await ring.run('module:install', `notes@${version}`);
    expect({ exit, err }).toEqual({ exit: 1, err: expect.stringMatching(reason) });
    expect(err).toMatch(`chowkd: notes ${version} is refused on the ring stable: `);
  }
  expect(await ring.run('module:install', 'notes@9.9.9')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^chowkd: there is no notes@9\.9\.9 in the module registry .*\n$/),
  });
  expect(await ring.lock()).toEqual(before);
  expect(JSON.parse((await succeed(ring.run('module:list', '--json'))).out)).not.toContainEqual(
    expect.objectContaining({ alias: 'notes' }),
  );
  const steps = await ring.central(
    sql`SELECT DISTINCT status, details->>'step' AS step FROM ring_operations ORDER BY step`,
  );
  expect(steps).toEqual([
    { status: 'failed', step: 'package' },
    { status: 'failed', step: 'verify' },
  ]);
  expect(await ring.run('module:rollback', 'notes')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/nothing of notes in the ring stable can be rolled back/),
  });
}, 400_000);

test('members who configure modules hear of an upgrade', async () => {
  const platform = await startAccounts();
  const tenant = await platform.tenant();
  const [owner, agent] = [await platform.person({ tenant }), await platform.person({ tenant, role: 'Agent' })];
  const session = { kernel: async () => platform.kernel, say: () => {} } as unknown as Parameters<
    typeof moduleHookCommand.run
  >[0];
  const options = { from: '1.0.0', to: '1.1.0' };
  await moduleHookCommand.run(session, { positionals: ['orders', 'upgrade'], options });
  const listed = async (person: typeof owner) => (await person.get('/api/v1/notifications')).body.notifications;
  expect(await listed(owner)).toMatchObject([
    {
      type: 'module.upgraded',
      title: 'The module Orders was upgraded to version 1.1.0',
      body: 'From version 1.0.0',
      action_url: '/settings/modules?edit=orders',
    },
  ]);
  expect(await listed(agent)).toEqual([]);
});
