import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { chowkd, chowkdProcess, temporaryFolder } from '../../testing/chowkd.ts';
import { type NotesOptions, writeNotes } from '../../testing/module-sources.ts';
import { testConfig } from '../../testing/test-config.ts';
import { ArchiveReader } from '../tenancy/archive-reader.ts';
import { installPackage } from './install-package.ts';
import { publishPackage } from './publish-package.ts';

async function pack(options: NotesOptions, file = `ShopNotes-${options.version}.zip`) {
  const out = await temporaryFolder();
  const folder = await writeNotes(options);
  const outcome = await chowkd(['module:pack', folder, `--out=${out}`, '--json']);
  return { ...outcome, folder, zip: join(out, file) };
}

async function readZip(zip: string): Promise<Map<string, string>> {
  const rules = { knownName: /./, maxEntries: 100, maxBytes: 1e7 };
  const reader = await ArchiveReader.open(zip, { rules });
  const files = new Map<string, string>();
  for (const name of reader.entries.keys()) files.set(name, await reader.readText(name, 1e7));
  await reader.close();
  return files;
}

const dependency = {
  'node_modules/left/package.json': '{ "name": "left", "version": "2.0.0", "license": "MIT", "main": "index.js" }',
  'node_modules/left/index.js': 'exports.left = (text) => text.padStart(5);',
  'node_modules/left/LICENSE': 'Copyright of left',
};

test('a package has the code, the complete manifest, migrations and licences, and no tests', async () => {
  const resolvers = "import { left } from 'left'; export const resolvers = { Note: { text: () => left('x') } };";
  const { code, err, zip } = await pack({
    version: '1.0.0',
    manifest: { api: { consumes: ['orders.get'] } },
    files: {
      ...dependency,
      'graphql/schema.graphql': 'type Note { text: String }',
      'graphql/resolvers.ts': resolvers,
    },
  });
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const files = await readZip(zip);
  expect([...files.keys()]).toEqual([
    'LICENSES.txt',
    'README.md',
    'graphql/resolvers.js',
    'graphql/schema.graphql',
    'migrations/0001_notes.sql',
    'module.js',
    'module.json',
  ]);
  expect(files.get('LICENSES.txt')).toMatch(/^left 2\.0\.0 \(MIT\)\n\nCopyright of left/);
  expect(files.get('graphql/resolvers.js')).toContain('padStart');
  expect(files.get('module.js')).toMatch(/from "@chowk\/kit"/);
  const manifest = JSON.parse(files.get('module.json') ?? '');
  expect(manifest).toMatchObject({
    alias: 'notes',
    version: '1.0.0',
    api: {
      provides: [{ name: 'notes.version', rate_limit: 600, output: { required: ['version'] } }],
      consumes: [{ operation: 'orders.get', input: { type: 'object' }, output: { type: 'object' } }],
    },
    events: { emits: ['note.created'], listens: [], schemas: { 'note.created': { required: ['text'] } } },
  });
});

test('a file beside the code that the code names is packed, published and installed', async () => {
  const hooks = `const font = new URL('./font.ttf', import.meta.url);
    export const hooks: ModuleHooks = { install: async (ctx) => ctx.log.info(font.href) };`;
  const { code, err, zip } = await pack({
    version: '1.0.0',
    hooks,
    files: { 'font.ttf': 'the letters' },
  });
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const files = await readZip(zip);
  const [name = ''] = [...files.keys()].filter((file) => file.endsWith('.ttf'));
  expect(files.get(name)).toBe('the letters');
  expect(files.get('module.js')).toContain(`new URL("${name}", import.meta.url)`);
  const config = testConfig({ STORAGE_PATH: await temporaryFolder() });
  await publishPackage(config, zip, undefined);
  await installPackage(config, { alias: 'notes', version: '1.0.0' }, { warn: () => {} });
  expect(await readFile(join(config.modulesPath, 'notes/1.0.0', name), 'utf8')).toBe('the letters');
});

test('the same sources in two folders give the same bytes', async () => {
  const options = { version: '1.0.0', files: dependency };
  const [one, other] = [await pack(options), await pack(options)];
  expect(one.folder).not.toBe(other.folder);
  expect((await readFile(one.zip)).equals(await readFile(other.zip))).toBe(true);
  const changed = await pack({ ...options, files: { ...dependency, 'README.md': '# Changed' } });
  expect((await readFile(one.zip)).equals(await readFile(changed.zip))).toBe(false);
});

test.each([
  [
    'a native addon',
    {
      'node_modules/fast/package.json': '{ "name": "fast", "version": "1.0.0", "gypfile": true }',
      'node_modules/fast/index.js': 'exports.x = 1;',
    },
    "import 'fast';",
    /the native addon fast cannot be packed/,
  ],
  [
    'a package that is not installed',
    {},
    "import 'absent';",
    /imports absent, which is not installed|Cannot find package 'absent'/,
  ],
  [
    'a file of a type that a package cannot have',
    { 'letters.exe': 'x' },
    "export const file = new URL('./letters.exe', import.meta.url);",
    /assets\/letters-\S+\.exe cannot be part of a package/,
  ],
  ['a file beside the code', {}, 'export const file = import.meta.dirname;', /hooks\.ts uses import\.meta/],
])('%s is refused by name', async (_, files, code, message) => {
  const hooks = `${code}\nexport const hooks: ModuleHooks = {};`;
  const outcome = await pack({ version: '1.0.0', hooks, files });
  expect(outcome.code).toBe(1);
  expect(outcome.err).toMatch(message);
  expect(outcome.err.trim().split('\n')).toHaveLength(1);
});

test('without the packages for development, the command says so', async () => {
  const folder = await temporaryFolder();
  const hook = join(folder, 'no-rolldown.mjs');
  await mkdir(folder, { recursive: true });
  await writeFile(
    hook,
    `import { registerHooks } from 'node:module';
     registerHooks({ resolve(name, context, next) { if (name === 'rolldown') throw new Error('not installed'); return next(name, context); } });`,
  );
  const outcome = await chowkdProcess(['module:pack', 'orders', `--out=${folder}`], {
    NODE_OPTIONS: `--import=${hook}`,
  });
  expect(outcome).toMatchObject({ code: 1, out: '' });
  expect(outcome.err).toBe(
    "chowkd: module:pack needs the packages for development; run 'npm install' without --omit=dev first\n",
  );
});
