import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { testConfig } from '../../testing/test-config.ts';
import { findModules, loadModule } from './load-modules.ts';
import { folderIntegrity, readLockFile, writeLockFile } from './lock-file.ts';
import { lockPath } from './lock-path.ts';
import { type Manifest, readManifest } from './manifest.ts';

const good = {
  name: 'Notes',
  alias: 'notes',
  version: '1.2.3',
  description: 'Keeps notes.',
  compatibility: { platform: '^1.0.0' },
  api: { provides: [{ name: 'notes.get', description: 'Get a note.' }] },
};

const code = `export const module = {
  actions: { 'notes.get': { summary: 'Get a note', public: true, bus: { rateLimit: 1 }, run: async () => ({}) } },
};`;

async function moduleFolder(manifest: object | string = good, text = code): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'chowk-module-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'module.json'), typeof manifest === 'string' ? manifest : JSON.stringify(manifest));
  await writeFile(join(folder, 'module.ts'), text);
  return folder;
}

async function load(manifest: object = good, text = code) {
  const folder = await moduleFolder(manifest, text);
  return loadModule(folder, await readManifest(join(folder, 'module.json')));
}

test('a module is loaded from its folder', async () => {
  expect(await load()).toMatchObject({
    alias: 'notes',
    manifest: good,
    migrations: { owner: 'notes', migrations: [] },
  });
});

test("a module's part of the GraphQL schema is its two files, both or neither", async () => {
  expect((await load()).graphql).toBeUndefined();
  const folder = await moduleFolder();
  const manifest = await readManifest(join(folder, 'module.json'));
  await mkdir(join(folder, 'graphql'));
  const sdl = 'type Query { note: String }';
  await writeFile(join(folder, 'graphql/schema.graphql'), sdl);
  await expect(loadModule(folder, manifest)).rejects.toThrow(/schema\.graphql has no resolvers\.ts beside it/);
  await writeFile(join(folder, 'graphql/resolvers.ts'), 'export const resolver = {};');
  await expect(loadModule(folder, manifest)).rejects.toThrow(/resolvers\.ts exports no resolvers/);
  const other = await moduleFolder();
  await mkdir(join(other, 'graphql'));
  await writeFile(join(other, 'graphql/resolvers.ts'), `export const resolvers = { Query: { note: () => 'Tea' } };`);
  await expect(loadModule(other, manifest)).rejects.toThrow(/resolvers\.ts has no schema\.graphql beside it/);
  await writeFile(join(other, 'graphql/schema.graphql'), sdl);
  const { graphql } = await loadModule(other, manifest);
  expect(graphql?.sdl).toBe(sdl);
  expect(graphql?.resolvers.Query?.note?.({} as never, {} as never, {} as never)).toBe('Tea');
});

test.each<[string, object, RegExp]>([
  ['no alias', { ...good, alias: undefined }, /module\.json: alias: The alias is required\./],
  ['an alias with a path in it', { ...good, alias: '../etc' }, /module\.json: alias: /],
  ['a version that is none', { ...good, version: 'latest' }, /module\.json: version: /],
  [
    'an operation without a description',
    { ...good, api: { provides: [{ name: 'notes.get' }] } },
    /api\.provides\.0\.description: /,
  ],
  ['a limit below one', { ...good, api: { provides: [{ ...good.api.provides[0], rate_limit: 0 }] } }, /rate_limit: /],
])('a manifest with %s is refused, naming file and field', async (_, manifest, message) => {
  const folder = await moduleFolder(manifest);
  await expect(readManifest(join(folder, 'module.json'))).rejects.toThrow(message);
});

test('a manifest that is not JSON, or not there, is told so', async () => {
  const folder = await moduleFolder('{ nonsense');
  await expect(readManifest(join(folder, 'module.json'))).rejects.toThrow(/module\.json is not valid JSON/);
  await expect(readManifest(join(folder, 'nowhere.json'))).rejects.toThrow(/cannot be read \(ENOENT\)/);
});

test.each(['^2.0.0', '<1.0.0', '1.0.1'])(
  'a module that needs platform %s is refused with a clear line',
  async (platform) => {
    const wanted = { ...good, compatibility: { platform } };
    await expect(load(wanted)).rejects.toThrow(`the module notes 1.2.3 needs platform ${platform}; this is 1.0.0`);
  },
);

test.each(['^1.0.0', '>=0.9 <2', '*'])('a module that takes platform %s is loaded', async (platform) => {
  await expect(load({ ...good, compatibility: { platform } })).resolves.toMatchObject({ alias: 'notes' });
});

test('what the manifest promises and the code does must be the same', async () => {
  const listening = { ...good, events: { listens: ['order.created'] } };
  const listener = `export const module = {
    listeners: [{ event: 'order.created', when: 'after_commit', name: 'count', run: async () => {} }],
  };`;
  await expect(load(listening, listener)).resolves.toMatchObject({ alias: 'notes' });
  await expect(load(listening)).rejects.toThrow(/events\.listens names order\.created, but module\.ts has none/);
  await expect(load(good, listener)).rejects.toThrow(/events\.listens lacks order\.created, which module\.ts has/);
  await expect(load(good, 'export const nothing = 1;')).rejects.toThrow(/exports no module/);
});

test('a module names what is its own after itself, unless it is a system module', async () => {
  const foreign = code.replace('notes.get', 'orders.get');
  await expect(load(good, foreign)).rejects.toThrow(/orders\.get must begin with notes\./);
  await expect(load({ ...good, system: true }, foreign)).resolves.toMatchObject({ alias: 'notes' });
  const job = `export const module = { jobs: { 'orders.count': { run: async () => {} } } };`;
  await expect(load(good, job)).rejects.toThrow(/orders\.count must begin with notes\./);
});

test('only a system module has commands, and jobs for the platform', async () => {
  const systemJob = `export const module = { jobs: { 'notes.sweep': { system: true, run: async () => {} } } };`;
  await expect(load(good, systemJob)).rejects.toThrow(/only a system module has commands, system jobs or an identity/);
  await expect(load({ ...good, system: true }, systemJob)).resolves.toMatchObject({ alias: 'notes' });
});

test('the modules of a folder are found by their manifests', async () => {
  const root = await mkdtemp(join(tmpdir(), 'chowk-modules-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  await mkdir(join(root, 'notes'));
  await mkdir(join(root, 'manifests'));
  await writeFile(join(root, 'notes/module.json'), JSON.stringify(good satisfies Manifest));
  expect((await findModules(root)).map(({ manifest }) => manifest.alias)).toEqual(['notes']);
});

test('the integrity of a module changes with its code and not with its tests or prose', async () => {
  const folder = await moduleFolder();
  const before = await folderIntegrity(folder);
  await writeFile(join(folder, 'README.md'), 'words');
  await writeFile(join(folder, 'x.test.ts'), 'tests');
  expect(await folderIntegrity(folder)).toBe(before);
  await writeFile(join(folder, 'module.ts'), `${code} `);
  expect(await folderIntegrity(folder)).not.toBe(before);
});

test('a lock file is read back as it was written, and a wrong one is told so', async () => {
  const file = join(await moduleFolder(), 'manifests', 'edge.lock.json');
  const lock = {
    lock_version: 1 as const,
    ring: 'edge',
    generated_at: 'now',
    modules: { notes: { version: '1.2.3', integrity: 'x' } },
  };
  await writeLockFile(file, lock);
  expect(await readLockFile(file)).toEqual(lock);
  await writeFile(file, JSON.stringify({ ...lock, modules: { notes: {} } }));
  await expect(readLockFile(file)).rejects.toThrow(
    /edge\.lock\.json: modules\.notes\.version: The version is required\./,
  );
  await expect(readLockFile(`${file}.none`)).rejects.toThrow(
    /cannot be read \(ENOENT\); 'chowkd module:lock' makes one/,
  );
});

test('the lock path is the one in the environment, else the ring, else everyone', () => {
  expect(lockPath(testConfig({ MODULE_LOCK_PATH: '/somewhere/x.json', RING_NAME: 'edge' }))).toBe('/somewhere/x.json');
  expect(lockPath(testConfig({ RING_NAME: 'no-such-ring' }))).toBe('modules/manifest.lock.json');
});
