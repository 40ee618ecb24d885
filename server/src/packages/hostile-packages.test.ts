import { randomBytes } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { chowkd, temporaryFolder } from '../../testing/chowkd.ts';
import { testConfig } from '../../testing/test-config.ts';
import { packageBytes, packageParts, type ZipPart, zip } from '../../testing/zip.ts';
import { endRecords } from '../tenancy/archive-zip.ts';
import { installPackage } from './install-package.ts';

const good = packageParts();
const goodBytes = zip(good);
const extra = (...parts: ZipPart[]) => zip([...good, ...parts]);
const named = (name: string) => extra({ name, content: 'x' });
const withManifest = (manifest: object) => zip(packageParts(manifest));
const without = (name: string) => zip(good.filter((part) => part.name !== name));
const changed = (name: string, change: Partial<ZipPart>) =>
  zip(good.map((part) => (part.name === name ? { ...part, ...change } : part)));
const megabytes = (count: number) => Buffer.alloc(count * 1_048_576);

const hostile: Record<string, [bytes: () => Buffer, message: RegExp]> = {
  'an empty file': [() => Buffer.alloc(0), /truncated, or not a ZIP file/],
  'random bytes': [() => randomBytes(5_000), /truncated, or not a ZIP file/],
  'a file that is cut off': [() => goodBytes.subarray(0, -30), /truncated/],
  'a billion entries': [
    () => Buffer.concat([goodBytes, endRecords({ count: 1e9, size: 46e9, offset: 0 })]),
    /too many entries|damaged|truncated/,
  ],
  'a directory outside of the file': [
    () => Buffer.concat([goodBytes, endRecords({ count: 3, size: 500, offset: 1e12 })]),
    /damaged|truncated/,
  ],
  'a path out of the folder': [() => named('../../outside.js'), /unexpected entry "\.\.\/\.\.\/outside\.js"/],
  'a path out of the folder in the middle': [() => named('graphql/../../outside.js'), /unexpected entry/],
  'an absolute path': [() => named('/tmp/outside.js'), /unexpected entry/],
  'a path of Windows': [() => named('C:\\outside.js'), /unexpected entry/],
  'a backslash': [() => named('..\\outside.js'), /unexpected entry/],
  'a NUL byte in a name': [() => named('a\0.js'), /unexpected entry/],
  'a line break in a name': [() => named('a\n.js'), /unexpected entry/],
  'a hidden file': [() => named('.npmrc.json'), /unexpected entry/],
  'code that the digest leaves out': [() => named('node_modules/x/index.js'), /unexpected entry/],
  'a binary': [() => named('addon.node'), /unexpected entry/],
  'a font outside of the folder of assets': [() => named('chunks/font.ttf'), /unexpected entry/],
  'an asset below a hidden folder': [() => named('assets/.x/font.ttf'), /unexpected entry/],
  'a folder entry': [() => named('graphql/'), /unexpected entry/],
  'a very long name': [() => named(`${'a'.repeat(5_000)}.js`), /unexpected entry/],
  'a symbolic link': [
    () => extra({ name: 'link.js', content: '/etc/passwd', mode: 0o120777 }),
    /link\.js is not a regular file/,
  ],
  'a device': [() => extra({ name: 'device.js', content: '', mode: 0o060600 }), /not a regular file/],
  'the same name twice': [() => named('module.js'), /it has module\.js twice/],
  'the same name in another case': [() => named('Module.js'), /it has Module\.js twice/],
  'a file that is a folder too': [() => named('module.js/x.js'), /is a file and a folder/],
  'too many entries': [
    () => zip([...good, ...Array.from({ length: 2_100 }, (_, n) => ({ name: `chunks/${n}.js`, content: '' }))]),
    /too many entries/,
  ],
  'a bomb of one entry': [() => extra({ name: 'bomb.js', content: megabytes(80) }), /its content exceeds 64 MB/],
  'a bomb of many entries': [
    () => extra(...Array.from({ length: 20 }, (_, n) => ({ name: `bomb${n}.js`, content: megabytes(4) }))),
    /its content exceeds 64 MB/,
  ],
  'a bomb with a small size in its directory': [
    () => extra({ name: 'bomb.js', content: megabytes(80), size: 10 }),
    /bomb\.js is damaged/,
  ],
  'entries that share their bytes': [() => extra({ name: 'a.js', content: 'x', offset: 0 }), /overlaps another entry/],
  'an encrypted entry': [() => extra({ name: 'secret.js', content: 'x', flags: 0x0801 }), /secret\.js is encrypted/],
  'an unknown compression': [() => changed('module.js', { method: 12 }), /compressed in an unknown way/],
  'a wrong checksum': [() => changed('module.js', { crc: 1 }), /module\.js is damaged/],
  'no manifest': [() => without('module.json'), /module\.json is missing/],
  'no code': [() => without('module.js'), /module\.js is missing/],
  'a manifest that is no JSON': [() => changed('module.json', { content: '{' }), /module\.json is not valid JSON/],
  'a manifest with wrong fields': [() => withManifest({ description: 1, evil: true }), /description.*evil/],
  'another module inside': [() => withManifest({ alias: 'orders' }), /it contains orders@1\.0\.0/],
  'another version inside': [() => withManifest({ version: '9.0.0' }), /it contains notes@9\.0\.0/],
  'an alias that is a path': [() => withManifest({ alias: '../../x' }), /alias/],
};

test('there are enough of them', () => {
  expect(Object.keys(hostile).length).toBeGreaterThanOrEqual(30);
});

/** A registry with the bytes as the package of `notes`. */
async function registryWith(bytes: Buffer) {
  const config = testConfig({ STORAGE_PATH: await temporaryFolder() });
  const file = join(config.moduleRegistryPath, 'notes/1.0.0/Notes-1.0.0.zip');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, bytes);
  return config;
}

async function filesUnder(folder: string): Promise<string[]> {
  return (await readdir(folder, { recursive: true }).catch(() => [])).sort();
}

const id = { alias: 'notes', version: '1.0.0' };
const warn = () => {};

test.each(Object.entries(hostile))('%s is refused and leaves nothing behind', async (_, [bytes, message]) => {
  const config = await registryWith(bytes());
  const before = await filesUnder(config.storagePath);
  const error = await installPackage(config, id, { warn }).catch((problem: Error) => problem);
  expect(error).toMatchObject({ message: expect.stringMatching(/^the package notes@1\.0\.0 cannot be used: /) });
  expect(error).toMatchObject({ message: expect.stringMatching(message) });
  expect((error as Error).message).not.toContain(config.storagePath);
  expect(await filesUnder(config.storagePath)).toEqual([...before, 'modules'].sort());
});

test('a package with another content than the lock file says is refused and leaves nothing behind', async () => {
  const config = await registryWith(goodBytes);
  const integrity = await installPackage(config, id, { warn });
  const other = await registryWith(packageBytes({ 'module.js': 'export const module = { changed: 1 };' }));
  await expect(installPackage(other, id, { integrity, warn })).rejects.toThrow(
    'its content differs from the lock file',
  );
  expect(await filesUnder(other.modulesPath)).toEqual([]);
  await writeFile(join(config.modulesPath, 'notes/1.0.0/module.js'), 'changed');
  await expect(installPackage(config, id, { integrity, warn })).rejects.toThrow('differs from the lock file');
});

test.each(['notes@../..', '../notes@1.0.0', 'notes@1.0.0/../..', 'notes@1', 'notes', '@1.0.0', 'notes@1.0.0@2.0.0'])(
  '%s names no package',
  async (name) => {
    const STORAGE_PATH = await temporaryFolder();
    const { code, err } = await chowkd(['module:install', name], { STORAGE_PATH });
    expect({ code, err }).toEqual({
      code: 2,
      err: `chowkd: ${name} is not a module and a version such as notes@1.0.0\n`,
    });
    expect(await filesUnder(STORAGE_PATH)).toEqual([]);
  },
);

test('what a killed installation has left is removed by the next one, and a running one is left alone', async () => {
  const config = await registryWith(goodBytes);
  const host = hostname().replaceAll(/[^A-Za-z0-9.-]/g, '');
  const running = `.chowk-staging-${host}_${process.ppid}_b`;
  for (const name of [`.chowk-staging-${host}_4194303_a`, running]) {
    await mkdir(join(config.modulesPath, name, 'content'), { recursive: true });
  }
  await installPackage(config, id, { warn });
  expect(await readdir(config.modulesPath)).toEqual([running, 'notes']);
});

test('two installations of one package at the same time both succeed', async () => {
  const config = await registryWith(goodBytes);
  const results = await Promise.all(Array.from({ length: 10 }, () => installPackage(config, id, { warn })));
  expect(new Set(results).size).toBe(1);
  expect(await readdir(config.modulesPath)).toEqual(['notes']);
});
