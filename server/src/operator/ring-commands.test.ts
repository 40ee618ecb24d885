import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from '@chowk/kit/kernel';
import { afterAll, expect, test } from 'vitest';
import { chowkd } from '../../testing/chowkd.ts';
import { packagesFolder, writePackage, writeTestLock } from '../../testing/packages.ts';
import { startPlatform, uniqueId } from '../../testing/platform.ts';
import { serverUrl } from '../../testing/second-server.ts';
import { testConfig } from '../../testing/test-config.ts';
import { loadLockedModules } from '../loader/load-modules.ts';

const folder = await packagesFolder();
afterAll(() => rm(folder, { recursive: true, force: true }));
const stableLock = join(folder, 'stable.lock.json');
const environment = {
  MODULES_PATH: join(folder, 'modules'),
  MODULE_LOCK_PATH: stableLock,
  APP_URL: 'http://shop.localhost',
};

/** Each version has its own field, migrations, job and listener. */
const notes = (version: string, field: string, migrations: Record<string, string>) =>
  writePackage(environment.MODULES_PATH, {
    alias: 'notes',
    version,
    migrations,
    code: `actions: { 'notes.show': { summary: 'Show a note', http: 'GET /notes', public: true, graphql: 'note',
      output: { title: 'Note', type: 'object', required: ['${field}'], properties: { ${field}: { type: 'string' } } },
      run: async () => ({ ${field}: '${version}' }) } },
      jobs: { 'notes.do': { data: {}, run: async (ctx) => void globalThis.notesRuns.push('${version} does') } },
      events: { 'note.happened': { summary: 'A note happened', payload: {} } },
      listeners: [{ event: 'note.happened', when: 'after_commit', name: 'hear',
        run: async (ctx) => void globalThis.notesRuns.push('${version} hears') }]`,
  });
const first = { '0001_notes.sql': 'CREATE TABLE notes (id int)' };
const one = await notes('1.0.0', 'text', first);
const two = await notes('2.0.0', 'title', { ...first, '0002_title.sql': 'ALTER TABLE notes ADD COLUMN title text' });
const extra = await writePackage(environment.MODULES_PATH, { alias: 'extra', version: '1.0.0' });
const lock = await writeTestLock(stableLock, 'stable', { notes: one, extra });

const notesRuns: string[] = [];
Object.assign(globalThis, { notesRuns });
const modules = await loadLockedModules(testConfig(environment), lock);
const platform = await startPlatform({ environment, modules });
const { central, config } = platform.kernel;

function run(...args: readonly string[]) {
  return chowkd(args, {
    ...environment,
    DATABASE_URL: `${serverUrl(central.address)}/${central.database}`,
    STORAGE_PATH: config.storagePath,
    APP_KEY: Buffer.alloc(32, 'test').toString('base64'),
  });
}

async function runJson(...args: readonly string[]) {
  const { code, out, err } = await run(...args, '--json');
  return { code, err, rows: out === '' ? [] : JSON.parse(out) };
}

const lockPath = (ring: string) => join(folder, `${ring}.lock.json`);
const readJson = async (file: string) => JSON.parse(await readFile(file, 'utf8'));

/** A ring of its own for a test, with these modules. */
async function createRing(locked: Parameters<typeof writeTestLock>[2] = lock.modules): Promise<string> {
  const name = `r${uniqueId()}`;
  await writeTestLock(lockPath(name), name, locked);
  expect(await run('ring:create', name, `--manifest-path=${lockPath(name)}`)).toMatchObject({ code: 0, err: '' });
  return name;
}

async function ringName(tenantId: string): Promise<string | undefined> {
  const row = await central.db.row<{ name: string }>(sql`
    SELECT r.name FROM module_rings r JOIN tenants t ON t.module_ring_id = r.id WHERE t.id = ${tenantId}`);
  return row?.name;
}

test('a new ring has a copy of the lock file of another one, and is listed and shown', async () => {
  const created = await runJson(
    'ring:create',
    'edge',
    '--display-name=The edge',
    '--order=7',
    `--manifest-path=${lockPath('edge')}`,
  );
  expect(created).toMatchObject({ code: 0, err: '' });
  expect(created.rows).toMatchObject([
    {
      name: 'edge',
      display_name: 'The edge',
      promotion_order: 7,
      hostname_segment: 'edge',
      k8s_service: 'web.chowk-edge.svc.cluster.local',
      is_active: true,
      is_default: false,
    },
  ]);
  expect(await readJson(lockPath('edge'))).toMatchObject({ ring: 'edge', modules: lock.modules });
  const { rows } = await runJson('ring:list');
  expect(rows).toContainEqual(expect.objectContaining({ name: 'edge', promotion_order: 7, tenants: 0 }));
  expect((await run('ring:list')).out).toMatch(/^NAME +DISPLAY_NAME +ORDER .*\nstable +Stable +0 +true +true/);
  expect(rows[0]).toMatchObject({ name: 'stable', is_default: true });
  const acme = await platform.tenant();
  await run('ring:assign', acme.id, 'edge');
  const [shown] = (await runJson('ring:show', 'edge', '--tenants', '--modules')).rows;
  expect(shown).toMatchObject({ tenant_count: 1, tenants: [{ id: acme.id }], lock_file: lockPath('edge') });
  expect(shown.modules).toContainEqual({ alias: 'notes', ...one });
  const text = (await run('ring:show', 'edge', '--tenants', '--modules')).out;
  expect(text).toMatch(/^FIELD +VALUE\nname +edge\n/);
  expect(text).toContain(acme.id);
});

test('a ring that would collide with another name is refused and leaves nothing', async () => {
  const taken = await createRing();
  const acme = await platform.tenant({ aliases: [`${uniqueId()}-shop`] });
  const [domain] = await central.db.rows<{ domain: string }>(
    sql`SELECT domain FROM domains WHERE tenant_id = ${acme.id}`,
  );
  const refused: [args: string[], error: RegExp][] = [
    [[taken], /there is a ring \w+ already/],
    [['other', `--hostname-segment=${taken}`], new RegExp(`the ring ${taken} has the hostname segment`)],
    [['other', `--hostname-segment=${domain?.domain}`], new RegExp(`the tenant ${acme.id} has the domain`)],
    [['other', '--hostname-segment=shop'], /part of the host name of APP_URL/],
    [['admin'], /admin is reserved/],
    [['Big_Ring'], /use lower-case letters/],
    [['other', '--from=nowhere'], /there is no ring nowhere; the rings are stable/],
    [['other', `--manifest-path=${stableLock}`], /is the lock file of the ring stable/],
  ];
  for (const [args, error] of refused) {
    const path = args.some((arg) => arg.startsWith('--manifest-path')) ? [] : [`--manifest-path=${lockPath('other')}`];
    const outcome = await run('ring:create', ...args, ...path);
    expect(outcome).toMatchObject({ code: 1, out: '' });
    expect(outcome.err).toMatch(error);
  }
  expect((await runJson('ring:list')).rows.map((ring: { name: string }) => ring.name)).not.toContain('other');
  expect(existsSync(lockPath('other'))).toBe(false);
  expect(await run('ring:create', 'other', '--order=first')).toMatchObject({ code: 2 });
});

test('a ring with tenants and the default ring stay active; no tenant comes to an inactive ring', async () => {
  const ring = await createRing();
  const acme = await platform.tenant();
  await run('ring:assign', acme.id, ring);
  expect((await run('ring:deactivate', ring)).err).toMatch(/has 1 tenant; assign them to other rings first/);
  expect((await run('ring:deactivate', 'stable')).err).toMatch(/stable is the default ring/);
  await run('ring:assign', acme.id, 'stable');
  expect((await runJson('ring:deactivate', ring)).rows).toEqual([{ ring, is_active: false, changed: true }]);
  expect((await runJson('ring:deactivate', ring)).rows).toEqual([{ ring, is_active: false, changed: false }]);
  expect(await run('ring:assign', acme.id, ring)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/is not active/),
  });
  expect(await run('ring:default', ring)).toMatchObject({ code: 1, err: expect.stringMatching(/is not active/) });
  expect(await run('ring:activate', ring)).toMatchObject({ code: 0, out: `Activated ${ring}.\n` });
  expect(await ringName(acme.id)).toBe('stable');
});

test('new tenants get the default ring, of which there is one', async () => {
  const ring = await createRing({ notes: two });
  expect((await runJson('ring:default', ring)).rows).toEqual([{ ring, before: 'stable', changed: true }]);
  const id = uniqueId();
  expect(await run('tenant:create', id)).toMatchObject({ code: 0, err: '' });
  expect(await ringName(id)).toBe(ring);
  // The command runs the modules of another ring.
  const created = await platform.kernel.directory.entry(id);
  expect(await created?.db.rows(sql`SELECT title FROM notes`)).toEqual([]);
  const enabled = sql`SELECT alias FROM module_installations WHERE tenant_id = ${id}`;
  expect(await central.db.rows(enabled)).toEqual([{ alias: 'notes' }]);
  await Promise.all([run('ring:default', 'stable'), run('ring:default', ring)]);
  expect(await central.db.rows(sql`SELECT FROM module_rings WHERE is_default`)).toHaveLength(1);
  await run('ring:default', 'stable');
  expect(await ringName((await platform.tenant()).id)).toBe('stable');
});

test('an assigned tenant has the migrations and modules of its new ring; the change is in its history and audit log', async () => {
  const further = await writePackage(environment.MODULES_PATH, { alias: 'further', version: '1.0.0' });
  const ring = await createRing({ notes: two, extra, further });
  const acme = await platform.tenant();
  const assigned = await runJson('ring:assign', acme.id, ring, '--reason=asked for it');
  expect(assigned).toMatchObject({ code: 0, err: '' });
  expect(assigned.rows).toEqual([
    { tenant: acme.id, from: 'stable', to: ring, changed: true, migrations: ['notes/0002_title.sql'], overridden: [] },
  ]);
  expect(await acme.db.rows(sql`SELECT title FROM notes`)).toEqual([]);
  const enabled = await central.db.rows(sql`
    SELECT alias FROM module_installations WHERE tenant_id = ${acme.id} AND status = 'enabled' ORDER BY alias`);
  expect(enabled).toEqual([{ alias: 'extra' }, { alias: 'further' }, { alias: 'notes' }]);
  expect(await acme.db.rows(sql`SELECT action, transport, changes FROM module_bus_audit_log`)).toEqual([
    { action: 'ring.assign', transport: 'command', changes: { ring: ['stable', ring] } },
  ]);
  const again = await run('ring:assign', acme.id, ring);
  expect(again).toEqual({ code: 0, out: `${acme.id} is on ${ring} already.\n`, err: '' });
  await run('ring:assign', acme.id, 'stable', '--force');
  const { rows } = await runJson('ring:history', acme.id);
  expect(rows).toMatchObject([
    { operation: 'assign', from_value: ring, to_value: 'stable', forced: true, reason: null },
    { operation: 'assign', from_value: 'stable', to_value: ring, forced: false, reason: 'asked for it' },
  ]);
  expect(rows[0].operator).toMatch(/./);
  expect((await run('ring:history', acme.id, '--limit=1')).out).toMatch(/^AT +OPERATOR .*\n.* done, forced .*\n$/);
});

test('a tenant that would lose a module or a persisted operation is not assigned, unless it is forced', async () => {
  const ring = await createRing({ notes: two });
  const acme = await platform.tenant();
  await acme.db.run(sql`
    INSERT INTO persisted_queries (hash, name, query, created_at)
    VALUES ('abc', 'ShowNote', '{ note { text } }', now()), ('def', 'Kept', '{ __typename }', now())`);
  const refused = await run('ring:assign', acme.id, ring);
  expect(refused.code).toBe(1);
  expect(refused.err).toMatch(/does not have the module extra, which \w+ has enabled/);
  expect(refused.err).toMatch(new RegExp(`ShowNote \\(abc\\) of ${acme.id} would fail: .*"text"`));
  expect(refused.err).not.toContain('Kept');
  expect(await ringName(acme.id)).toBe('stable');
  const forced = await runJson('ring:assign', acme.id, ring, '--force');
  expect(forced.code).toBe(0);
  expect(forced.rows[0].overridden).toHaveLength(2);
  expect(await ringName(acme.id)).toBe(ring);
});

test('an unknown ring or tenant, and a tenant that is moving or being created, are refused', async () => {
  const ring = await createRing();
  const acme = await platform.tenant();
  expect((await run('ring:assign', acme.id, 'nowhere')).err).toMatch(/there is no ring nowhere; the rings are stable/);
  expect((await run('ring:assign', 'nobody', ring)).err).toMatch(/there is no tenant nobody/);
  expect(await run('ring:assign', acme.id)).toMatchObject({ code: 2 });
  await central.db.run(sql`
    INSERT INTO tenant_moves (tenant_id, source, target, keep) VALUES (${acme.id}, 'main', 'east', false)`);
  expect((await run('ring:assign', acme.id, ring)).err).toMatch(/is being moved to the database server east/);
  await central.db.run(sql`DELETE FROM tenant_moves`);
  await central.db.run(sql`UPDATE tenants SET status = 'creating' WHERE id = ${acme.id}`);
  expect((await run('ring:assign', acme.id, ring)).err).toMatch(/is creating/);
  await central.db.run(sql`UPDATE tenants SET status = 'suspended' WHERE id = ${acme.id}`);
  expect(await run('ring:assign', acme.id, ring)).toMatchObject({ code: 0 });
});

test('a tenant whose database cannot be migrated stays on its ring', async () => {
  const broken = await writePackage(environment.MODULES_PATH, {
    alias: 'broken',
    version: '1.0.0',
    migrations: { '0001_broken.sql': 'SELECT 1/0' },
  });
  const ring = await createRing({ ...lock.modules, broken });
  const acme = await platform.tenant();
  const { code, err } = await run('ring:assign', acme.id, ring);
  expect(code).toBe(1);
  expect(err).toMatch(/migration broken\/0001_broken\.sql failed: division by zero/);
  expect(await ringName(acme.id)).toBe('stable');
});

test('a task and an event that wait are handled by the version of the new ring', async () => {
  const ring = await createRing({ notes: two, extra });
  const ringModules = await loadLockedModules(testConfig(environment), await readJson(lockPath(ring)));
  const other = await startPlatform({
    sharedWith: platform,
    modules: ringModules,
    environment: { ...environment, RING_NAME: ring, MODULE_LOCK_PATH: lockPath(ring) },
  });
  const acme = await platform.tenant();
  const task = { job: 'notes.do', tenant: acme.id, data: {}, requestId: 'test' };
  await platform.kernel.jobs.add(task, { startAt: new Date(Date.now() + 2_000) });
  await acme.db.run(sql`
    INSERT INTO event_deliveries (event_id, name, payload, emitted_at, listener)
    VALUES (gen_random_uuid(), 'note.happened', '{}', now(), 'notes/hear')`);
  expect(await run('ring:assign', acme.id, ring)).toMatchObject({ code: 0 });
  await platform.kernel.work();
  await other.kernel.work();
  other.kernel.deliveries.wake(acme);
  await expect.poll(() => notesRuns.toSorted(), { timeout: 20_000 }).toEqual(['2.0.0 does', '2.0.0 hears']);
});

test('a lock file that cannot be read is reported', async () => {
  const ring = await createRing();
  await writeFile(lockPath(ring), '{');
  const acme = await platform.tenant();
  const { code, err } = await run('ring:assign', acme.id, ring);
  expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/lock file .* is not valid JSON/) });
  expect(await run('ring:assign', acme.id, ring, '--force')).toMatchObject({ code: 1 });
});

test('a tenant can leave a ring that is broken', async () => {
  const ring = await createRing();
  const acme = await platform.tenant();
  expect(await run('ring:assign', acme.id, ring)).toMatchObject({ code: 0 });
  await writeFile(lockPath(ring), '{');
  const { code, err } = await run('ring:assign', acme.id, 'stable');
  expect(code).toBe(1);
  expect(err).toMatch(new RegExp(`what ${acme.id} uses on ${ring} cannot be compared: .* is not valid JSON`));
  expect(await run('ring:assign', acme.id, 'stable', '--force')).toMatchObject({ code: 0 });
  expect(await ringName(acme.id)).toBe('stable');
});
