import { existsSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from '@chowk/kit/kernel';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { chowkd, chowkdProcess } from '../../testing/chowkd.ts';
import { packagesFolder, type TestPackage, writePackage, writeTestLock } from '../../testing/packages.ts';
import { startPlatform, uniqueId } from '../../testing/platform.ts';
import { serverUrl } from '../../testing/second-server.ts';
import { testConfig } from '../../testing/test-config.ts';
import { loadLockedModules } from '../loader/load-modules.ts';
import type { LockedModule } from '../loader/lock-file.ts';

const folder = await packagesFolder();
afterAll(() => rm(folder, { recursive: true, force: true }));
const lockPath = (ring: string) => join(folder, `${ring}.lock.json`);
const environment = { MODULES_PATH: join(folder, 'modules'), MODULE_LOCK_PATH: lockPath('stable') };
const write = (pack: TestPackage) => writePackage(environment.MODULES_PATH, pack);

const text = { type: 'string' };
/** `notes.get` with these fields of its output and input. */
function notes(version: string, output: Record<string, object>, input: Record<string, object> = {}, more = '') {
  const schema = (properties: object) =>
    JSON.stringify({ type: 'object', properties, required: Object.keys(properties) });
  return {
    alias: 'notes',
    version,
    code: `actions: { 'notes.get': { summary: 'Get a note', public: true, bus: { rateLimit: 10 }, http: 'GET /notes',
      graphql: 'note', readOnly: true, input: ${schema(input)}, output: { title: 'Note', ...${schema(output)} },
      run: async () => ({}) } ${more} }`,
  };
}
const first = { '0001_notes.sql': 'CREATE TABLE notes (id int)' };
const one = await write({ ...notes('1.0.0', { text }), migrations: first });
const consumer = await write({
  alias: 'reader',
  version: '1.0.0',
  manifest: { api: { consumes: ['notes.get'] } },
});
const lock = await writeTestLock(lockPath('stable'), 'stable', { notes: one, reader: consumer });
const modules = await loadLockedModules(testConfig(environment), lock);
const platform = await startPlatform({ environment, modules });
const { central, config } = platform.kernel;
const { db } = central;

const processEnvironment = {
  ...environment,
  DATABASE_URL: `${serverUrl(central.address)}/${central.database}`,
  STORAGE_PATH: config.storagePath,
  APP_KEY: Buffer.alloc(32, 'test').toString('base64'),
};

async function run(...args: readonly string[]) {
  const { code, out, err } = await chowkd(args, processEnvironment);
  return { code, err, out, rows: args.includes('--json') && out !== '' ? JSON.parse(out) : [] };
}

const readLock = async (ring: string) => JSON.parse(await readFile(lockPath(ring), 'utf8'));
const versionOn = async (ring: string) => (await readLock(ring)).modules.notes.version;

async function createRing(locked: Record<string, LockedModule>): Promise<string> {
  const ring = `r${uniqueId()}`;
  await writeTestLock(lockPath(ring), ring, locked);
  expect(await run('ring:create', ring, `--manifest-path=${lockPath(ring)}`)).toMatchObject({ code: 0 });
  return ring;
}

let edge = '';
beforeEach(async () => {
  edge = await createRing(lock.modules);
});

test('a compatible version is promoted, with everything that changes', async () => {
  const more = `, 'notes.add': { summary: 'Add a note', http: 'POST /notes', needs: 'notes.add', run: async () => ({}) } },
    settings: { 'notes.limit': { schema: { type: 'integer' }, default: 5, description: 'How many.' } },
    events: { 'note.added': { summary: 'A note was added', payload: { type: 'object', properties: { id: { type: 'integer' } } } }`;
  const next = await write({
    ...notes('1.1.0', { text, title: text }, {}, more),
    manifest: { permissions: ['notes.add'] },
    migrations: { ...first, '0002_title.sql': 'ALTER TABLE notes ADD COLUMN title text' },
  });
  const canary = await createRing({ ...lock.modules, notes: next });
  const dry = await run('ring:promote', 'notes', `--to=${edge}`, `--from=${canary}`, '--dry-run');
  expect(dry).toMatchObject({ code: 0, err: '' });
  expect(await versionOn(edge)).toBe('1.0.0');
  const before = await readFile(lockPath(edge), 'utf8');
  const reader = await open(lockPath(edge));
  const promoted = await run('ring:promote', 'notes', `--to=${edge}`, `--from=${canary}`, '--json');
  expect(promoted).toMatchObject({ code: 0, err: '' });
  expect(promoted.rows).toMatchObject([
    {
      alias: 'notes',
      ring: edge,
      from_version: '1.0.0',
      to_version: '1.1.0',
      migrations: ['0002_title.sql'],
      operations: { gained: ['notes.add'], changed: [{ name: 'notes.get', problem: null }], lost: [] },
      permissions: { gained: ['notes.add'], changed: [], lost: [] },
      settings: { gained: ['notes.limit'], changed: [], lost: [] },
      events: { gained: ['note.added'], payloads: { 'note.added': { properties: { id: { type: 'integer' } } } } },
      refusals: [],
      changed: true,
    },
  ]);
  expect(promoted.rows[0].graphql).toContainEqual(
    expect.objectContaining({ severity: 'safe', description: 'Note.title was added.' }),
  );
  const lost = await run('ring:promote', 'notes', `--to=${edge}`, '--with-version=1.0.0', '--dry-run', '--force');
  for (const [part, name] of Object.entries({
    operation: 'notes.add',
    permission: 'notes.add',
    setting: 'notes.limit',
    event: 'note.added',
  })) {
    expect(lost.out).toMatch(new RegExp(`^${part} +lost +${name}`, 'm'));
  }
  expect(await readLock(edge)).toMatchObject({ ring: edge, modules: { notes: next, reader: consumer } });
  expect(JSON.parse(await readFile(`${lockPath(edge)}.previous`, 'utf8')).modules).toEqual(lock.modules);
  // Who reads the file meanwhile has all of the content before.
  expect(await reader.readFile('utf8')).toBe(before);
  await reader.close();
  expect((await readdir(folder)).filter((name) => name.endsWith('.new'))).toEqual([]);
  const again = await run('ring:promote', 'notes', `--to=${edge}`, `--from=${canary}`);
  expect(again).toMatchObject({ code: 0, out: `${edge} has this version of notes already.\n` });
  const [operation] = (await run('ring:history', '--limit=1', '--json')).rows;
  expect(operation).toMatchObject({
    operation: 'promote',
    ring: edge,
    alias: 'notes',
    from_value: '1.0.0',
    forced: false,
  });
});

test('the table names each change and what to run next', async () => {
  await write({
    ...notes('1.2.0', { text }),
    migrations: { ...first, '0002_title.sql': 'CREATE TABLE titles (id int)' },
  });
  const { code, out } = await run('ring:promote', 'notes', `--to=${edge}`, '--with-version=1.2.0');
  expect(code).toBe(0);
  expect(out).toMatch(
    /^notes on \w+: 1\.0\.0 → 1\.2\.0\nPART +CHANGE +NAME +DETAIL\nmigration +gained +0002_title\.sql/,
  );
  expect(out).toContain(`Run 'RING_NAME=${edge} chowkd migrate', then 'chowkd ring:reload ${edge}'`);
});

test('a version that breaks a persisted operation of a tenant of the ring is refused by name, unless it is forced', async () => {
  await write({ ...notes('2.0.0', { title: text }), migrations: first });
  const [acme, other] = [await platform.tenant(), await platform.tenant()];
  for (const tenant of [acme, other]) {
    await tenant.db.run(sql`
      INSERT INTO persisted_queries (hash, name, query, created_at) VALUES ('abc', 'ShowNote', '{ note { text } }', now())`);
  }
  await run('ring:assign', acme.id, edge);
  const refused = await run('ring:promote', 'notes', `--to=${edge}`, '--with-version=2.0.0', '--json');
  expect(refused.code).toBe(1);
  expect(refused.err).toContain(`the persisted operation ShowNote (abc) of ${acme.id} would fail`);
  expect(refused.err).not.toContain(other.id);
  expect(refused.rows[0]).toMatchObject({
    operations: { changed: [{ name: 'notes.get', problem: 'text may be missing' }] },
    changed: false,
  });
  expect(refused.rows[0].refusals).toContainEqual(expect.stringContaining(acme.id));
  expect(await versionOn(edge)).toBe('1.0.0');
  expect(existsSync(`${lockPath(edge)}.previous`)).toBe(false);
  const forced = await run(
    'ring:promote',
    'notes',
    `--to=${edge}`,
    '--with-version=2.0.0',
    '--force',
    '--reason=urgent',
  );
  expect(forced.code).toBe(0);
  expect(await versionOn(edge)).toBe('2.0.0');
  const [operation] = (await run('ring:history', '--limit=1', '--json')).rows;
  expect(operation).toMatchObject({ forced: true, reason: 'urgent' });
  expect(operation.details.overridden).toContainEqual(expect.stringContaining('ShowNote'));
});

const breaking: [version: string, pack: Omit<TestPackage, 'version'>, reason: RegExp][] = [
  ['3.0.0', notes('', { text }, { id: text }), /the module reader consumes notes\.get, .*: id is now required/],
  ['3.1.0', { alias: 'notes', code: '' }, /the module reader: api\.consumes: no module .* provides notes\.get/],
  [
    '3.2.0',
    { ...notes('', { text }), manifest: { api: { consumes: ['absent.get'] } } },
    /the module notes: api\.consumes: .* provides absent\.get/,
  ],
  [
    '3.3.0',
    { ...notes('', { text }), migrations: { ...first, '0002_drop.sql': 'ALTER TABLE notes DROP COLUMN id' } },
    /notes\/0002_drop\.sql:1: notes\.id is dropped/,
  ],
  [
    '3.4.0',
    { ...notes('', { text }), migrations: { '0001_notes.sql': 'CREATE TABLE notes (id bigint)' } },
    /the migration notes\/0001_notes\.sql differs/,
  ],
];

test.each(breaking)('notes %s is refused', async (version, pack, reason) => {
  await write({ migrations: first, ...pack, version });
  const { code, err } = await run('ring:promote', 'notes', `--to=${edge}`, `--with-version=${version}`);
  expect(code).toBe(1);
  expect(err).toMatch(reason);
  expect(await versionOn(edge)).toBe('1.0.0');
});

test('a packed consumer is checked against the schemas that it was built against', async () => {
  const packed = await write({
    alias: 'reader',
    version: '1.1.0',
    manifest: { api: { consumes: [{ operation: 'notes.get', output: { type: 'object', properties: { text } } }] } },
  });
  const ring = await createRing({ notes: one, reader: packed });
  await write({ ...notes('3.5.0', { text: { type: 'integer' } }), migrations: first });
  const { code, err } = await run('ring:promote', 'notes', `--to=${ring}`, '--with-version=3.5.0');
  expect(code).toBe(1);
  expect(err).toMatch(/the module reader: api\.consumes: notes\.get is not compatible .*text/);
});

test('a version that needs another platform than the ring runs is refused', async () => {
  await write({ ...notes('1.3.0', { text }), manifest: { compatibility: { platform: '^1.0.0' } }, migrations: first });
  await db.run(sql`UPDATE module_rings SET platform_version = '0.9.0' WHERE name = ${edge}`);
  const { code, err } = await run('ring:promote', 'notes', `--to=${edge}`, '--with-version=1.3.0');
  expect(code).toBe(1);
  expect(err).toContain(`notes 1.3.0 needs platform ^1.0.0, but the ring ${edge} runs 0.9.0`);
  await db.run(sql`UPDATE module_rings SET platform_version = '1.4.0' WHERE name = ${edge}`);
  expect(await run('ring:promote', 'notes', `--to=${edge}`, '--with-version=1.3.0')).toMatchObject({ code: 0 });
});

test('a package that uses the kit is compared with the version before', async () => {
  const imports = "import { action, Type } from '@chowk/kit';";
  const code = `actions: { 'notes.get': action({ summary: 'Get a note', public: true, bus: { rateLimit: 10 }, http: 'GET /notes',
    graphql: 'note', readOnly: true, input: Type.Object({ id: Type.String() }), run: async () => ({}) }) }`;
  await write({ alias: 'notes', version: '3.6.0', imports, code, migrations: first });
  const args = ['ring:promote', 'notes', `--to=${edge}`, '--with-version=3.6.0'];
  const { code: exitCode, err } = await chowkdProcess(args, processEnvironment);
  expect({ exitCode, err }).toMatchObject({ exitCode: 1, err: expect.stringContaining('id is now required') });
});

test('wrong usage, an absent version and an absent module are refused', async () => {
  const promote = (...args: string[]) => run('ring:promote', ...args);
  expect(await promote('notes', `--to=${edge}`)).toMatchObject({ code: 2 });
  expect(await promote('notes', '--with-version=1.0.0')).toMatchObject({ code: 2 });
  expect(await promote('notes', `--to=${edge}`, '--from=stable', '--with-version=1.0.0')).toMatchObject({ code: 2 });
  expect(await promote('../notes', `--to=${edge}`, '--with-version=1.0.0')).toMatchObject({ code: 2 });
  expect(await promote('notes', `--to=${edge}`, '--with-version=../1')).toMatchObject({ code: 2 });
  expect(await promote('notes', `--to=${edge}`, '--with-version=1.0.0', '--soak=1h')).toMatchObject({ code: 2 });
  expect(await promote('notes', `--to=${edge}`, '--from=stable', '--soak=soon')).toMatchObject({ code: 2 });
  expect(await promote('notes', `--to=${edge}`, '--with-version=9.0.0')).toMatchObject({
    code: 1,
    err: "chowkd: notes 9.0.0 is not installed; run 'chowkd module:install notes@9.0.0' first\n",
  });
  expect((await promote('absent', `--to=${edge}`, '--from=stable')).err).toMatch(
    /stable does not have the module absent/,
  );
  expect((await promote('notes', '--to=nowhere', '--from=stable')).err).toMatch(/there is no ring nowhere/);
});

test('a ring without a lock file of its own is not changed', async () => {
  const ring = `r${uniqueId()}`;
  await db.run(sql`
    INSERT INTO module_rings (name, display_name, manifest_path, k8s_namespace, k8s_service, hostname_segment)
    VALUES (${ring}, '', ${lockPath(edge)}, '', '', ${ring})`);
  await write({ ...notes('1.4.0', { text }), migrations: first });
  const { code, err } = await run('ring:promote', 'notes', `--to=${edge}`, '--with-version=1.4.0');
  expect({ code, err }).toMatchObject({ code: 1, err: expect.stringMatching(/share .*; give each its own/) });
  await db.run(sql`DELETE FROM module_rings WHERE name = ${ring}`);
});

test('of two promotions at once none is lost', async () => {
  await write({ ...notes('4.5.0', { text }), migrations: first });
  await write({ alias: 'reader', version: '4.5.0', manifest: { api: { consumes: ['notes.get'] } } });
  const outcomes = await Promise.all(
    ['notes', 'reader'].map(async (alias) => ({
      alias,
      ...(await run('ring:promote', alias, `--to=${edge}`, '--with-version=4.5.0')),
    })),
  );
  const promoted = outcomes.filter(({ code }) => code === 0).map(({ alias }) => alias);
  expect(promoted.length).toBeGreaterThan(0);
  const { modules: locked } = await readLock(edge);
  expect(Object.keys(locked).filter((alias) => locked[alias].version === '4.5.0')).toEqual(promoted);
  for (const { code, err } of outcomes)
    if (code !== 0) expect(err).toMatch(/was changed by another command; run .* again/);
});

test('a lock file that cannot be written leaves a failed change in the history, which is not undone', async () => {
  await write({ ...notes('4.6.0', { text }), migrations: first });
  await mkdir(`${lockPath(edge)}.previous`);
  expect(await run('ring:promote', 'notes', `--to=${edge}`, '--with-version=4.6.0')).toMatchObject({ code: 1 });
  expect(await versionOn(edge)).toBe('1.0.0');
  const [operation] = (await run('ring:history', '--limit=1', '--json')).rows;
  expect(operation).toMatchObject({ operation: 'promote', ring: edge, to_value: '4.6.0', status: 'failed' });
  expect((await run('ring:rollback', edge)).err).toMatch(/no change .* is left to undo/);
});

test('promotions are undone one after the other, and not over a later change of the file', async () => {
  const versions: Record<string, LockedModule> = {};
  for (const version of ['4.0.0', '4.1.0']) {
    versions[version] = await write({ ...notes(version, { text }), migrations: first });
    expect(await run('ring:promote', 'notes', `--to=${edge}`, `--with-version=${version}`)).toMatchObject({ code: 0 });
  }
  await writeTestLock(lockPath(edge), edge, { notes: one });
  expect(await run('ring:rollback', edge)).toMatchObject({ code: 1, err: expect.stringMatching(/was changed after/) });
  await writeTestLock(lockPath(edge), edge, { ...lock.modules, notes: versions['4.1.0'] as LockedModule });
  const undone = await run('ring:rollback', edge, '--json', '--reason=slow');
  expect(undone.rows).toMatchObject([{ ring: edge, modules: [{ alias: 'notes', from: '4.1.0', to: '4.0.0' }] }]);
  expect(await versionOn(edge)).toBe('4.0.0');
  expect((await run('ring:rollback', edge)).out).toContain(`Run 'chowkd ring:reload ${edge}'`);
  expect((await readLock(edge)).modules).toEqual(lock.modules);
  expect(await run('ring:rollback', edge)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/no change .* is left/),
  });
  // What was undone can be promoted and undone again.
  await run('ring:promote', 'notes', `--to=${edge}`, '--with-version=4.1.0');
  expect(await run('ring:rollback', edge)).toMatchObject({ code: 0 });
  expect(await versionOn(edge)).toBe('1.0.0');
  const { rows } = await run('ring:history', '--json');
  expect(rows).toContainEqual(
    expect.objectContaining({
      operation: 'rollback',
      ring: edge,
      from_value: '4.1.0',
      to_value: '4.0.0',
      reason: 'slow',
    }),
  );
});

test('a version that is gone from the machine cannot be restored', async () => {
  const gone = await write({ ...notes('4.2.0', { text }), migrations: first });
  const ring = await createRing({ ...lock.modules, notes: gone });
  await run('ring:promote', 'notes', `--to=${ring}`, '--with-version=1.0.0');
  await rm(join(environment.MODULES_PATH, 'notes/4.2.0'), { recursive: true });
  const { code, err } = await run('ring:rollback', ring);
  expect({ code, err }).toMatchObject({ code: 1, err: expect.stringMatching(/notes 4\.2\.0, which is not installed/) });
  expect(await versionOn(ring)).toBe('1.0.0');
});

test('a version must have served the source ring long enough and without a rise in its errors', async () => {
  const next = await write({ ...notes('5.0.0', { text }), migrations: first });
  const canary = await createRing({ ...lock.modules, notes: next });
  const promote = () => run('ring:promote', 'notes', `--to=${edge}`, `--from=${canary}`, '--soak=48h', '--dry-run');
  const serve = (version: string, hoursAgo: number, calls: number, errors: number) =>
    db.run(sql`
      INSERT INTO module_call_counts (ring, alias, version, hour, calls, errors)
      VALUES (${canary}, 'notes', ${version}, date_trunc('hour', now()) - make_interval(hours => ${hoursAgo}), ${calls}, ${errors})
      ON CONFLICT (ring, alias, version, hour) DO UPDATE SET calls = excluded.calls, errors = excluded.errors`);
  expect((await promote()).err).toMatch(/notes 5\.0\.0 has served no calls on/);
  await serve('4.9.0', 100, 10_000, 10);
  await serve('5.0.0', 50, 99, 0);
  expect((await promote()).err).toMatch(/has served only 99 calls on \w+, fewer than 100/);
  await db.run(sql`DELETE FROM module_call_counts WHERE ring = ${canary} AND version = '5.0.0'`);
  await serve('5.0.0', 40, 1_000, 1);
  expect((await promote()).err).toMatch(/has served \w+ for 39(\.\d)? full hours, not for 48/);
  await serve('5.0.0', 50, 1_000, 0);
  expect(await promote()).toMatchObject({ code: 0, err: '' });
  await serve('5.0.0', 40, 1_000, 10);
  expect((await promote()).err).toMatch(/internal errors on \w+: 10 of 2000 calls, before it 10 of 10000 of 4\.9\.0/);
  await serve('5.0.0', 40, 1_000, 1);
  await serve('4.9.0', 45, 1, 0);
  expect((await promote()).err).toMatch(/has served \w+ for 39(\.\d)? full hours/);
});
