import { execFile } from 'node:child_process';
import fs, { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readConfig } from './config/config.ts';
import { openStorage, readAppKey } from './storage.ts';

// Not `vi.mock`, which has no effect if another test file in this worker has loaded storage.ts.
const link = vi.spyOn(fs, 'link');
syncBuiltinESMExports();
afterAll(() => {
  link.mockRestore();
  syncBuiltinESMExports();
});

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chowk-storage-'));
});

afterEach(async () => {
  link.mockClear();
  await rm(folder, { recursive: true, force: true });
});

const withoutKey = readConfig({});

function failure(code: string) {
  return Object.assign(new Error(`${code}: refused`), { code });
}

test('opening creates an empty folder that other users cannot access', async () => {
  const storage = await openStorage(join(folder, 'a/b'));
  expect(storage.path).toBe(join(folder, 'a/b'));
  expect((await stat(storage.path)).mode & 0o027).toBe(0);
  expect(await readdir(storage.path)).toEqual([]);
});

test('opening keeps existing files', async () => {
  await writeFile(join(folder, 'installed'), '{}');
  await openStorage(folder);
  expect(await readdir(folder)).toEqual(['installed']);
});

test('a folder that cannot be created is reported in one line', async () => {
  const file = join(folder, 'file');
  await writeFile(file, '');
  await expect(openStorage(join(file, 'storage'))).rejects.toThrow(
    /^STORAGE_PATH \S+\/file\/storage is not writable \(ENOTDIR: [^\n]+\); choose another folder or make it writable$/,
  );
  await expect(openStorage(file)).rejects.toThrow(/^STORAGE_PATH \S+\/file is not writable \(ENOTDIR: [^\n]+$/);
});

test.runIf(process.platform === 'linux')('a folder that accepts no files is reported in one line', async () => {
  await expect(openStorage('/proc/self')).rejects.toThrow(/^STORAGE_PATH \/proc\/self is not writable \([^\n]+$/);
  await expect(openStorage('/proc/chowk')).rejects.toThrow(/^STORAGE_PATH \/proc\/chowk is not writable \([^\n]+$/);
});

test('APP_KEY takes precedence, and no key file is created', async () => {
  const key = Buffer.alloc(32, 9);
  const storage = await openStorage(folder);
  expect(await readAppKey(storage, readConfig({ APP_KEY: key.toString('base64') }))).toEqual(key);
  expect(await readdir(folder)).toEqual([]);
});

test('the key is created once, readable only by its owner, and reused', async () => {
  const storage = await openStorage(folder);
  const key = await readAppKey(storage, withoutKey);
  expect(key).toHaveLength(32);
  expect(await readAppKey(await openStorage(folder), withoutKey)).toEqual(key);
  expect(await readdir(folder)).toEqual(['app.key']);
  expect((await stat(storage.appKeyFile)).mode & 0o777).toBe(0o600);
  expect(await readFile(storage.appKeyFile, 'utf8')).toBe(`${key.toString('base64')}\n`);
});

test('each installation gets its own key', async () => {
  const first = await readAppKey(await openStorage(join(folder, 'first')), withoutKey);
  const second = await readAppKey(await openStorage(join(folder, 'second')), withoutKey);
  expect(first.equals(second)).toBe(false);
});

test('concurrent calls get the same first key', async () => {
  const storage = await openStorage(folder);
  const keys = await Promise.all(Array.from({ length: 50 }, () => readAppKey(storage, withoutKey)));
  expect(new Set(keys.map(String)).size).toBe(1);
  expect(link.mock.calls.length).toBeGreaterThan(1);
  expect(await readdir(folder)).toEqual(['app.key']);
});

test('concurrent processes get the same first key', async () => {
  const program = `
    const { openStorage, readAppKey } = await import(${JSON.stringify(join(import.meta.dirname, 'storage.ts'))});
    const key = await readAppKey(await openStorage(${JSON.stringify(folder)}), {});
    process.stdout.write(key.toString('base64'));`;
  const runs = Array.from({ length: 6 }, () =>
    promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]),
  );
  const keys = (await Promise.all(runs)).map(({ stdout }) => stdout);
  expect(new Set(keys)).toEqual(new Set([(await readFile(join(folder, 'app.key'), 'utf8')).trim()]));
});

test('concurrent calls get the same first key on a file system without hard links', async () => {
  // Staggered, so that some have read the key before others try to write theirs.
  link.mockImplementation(async () => {
    await sleep((link.mock.calls.length % 5) * 20);
    throw failure('EPERM');
  });
  const storage = await openStorage(folder);
  const keys = await Promise.all(Array.from({ length: 50 }, () => readAppKey(storage, withoutKey)));
  link.mockReset();
  expect(new Set(keys.map(String)).size).toBe(1);
  expect(await readdir(folder)).toEqual(['app.key']);
});

test('reading waits for a key that another process is writing', async () => {
  const key = Buffer.alloc(32, 5);
  const storage = await openStorage(folder);
  await writeFile(storage.appKeyFile, '');
  const reading = readAppKey(storage, withoutKey);
  setTimeout(() => writeFile(storage.appKeyFile, key.toString('base64')), 100);
  expect(await reading).toEqual(key);
});

test.each(['', 'not a key', Buffer.alloc(16).toString('base64'), `${Buffer.alloc(32).toString('base64')}\nmore`])(
  'an invalid key file is refused without showing it, and never overwritten: %j',
  async (content) => {
    const storage = await openStorage(folder);
    await writeFile(storage.appKeyFile, content);
    const error = await readAppKey(storage, withoutKey).catch((error) => error);
    expect(error.message).toMatch(
      /^the key \S+\/app\.key is not 32 bytes in base64; restore it from a backup, [^\n]+$/,
    );
    if (content !== '') expect(error.message).not.toContain(content);
    expect(await readFile(storage.appKeyFile, 'utf8')).toBe(content);
  },
);

test('a key that can be neither read nor created is reported in one line', async () => {
  const storage = await openStorage(folder);
  const message = /^the key \S+\/app\.key can be neither read nor created \((EISDIR|ENOENT|EIO): [^\n]+\)$/;
  await mkdir(storage.appKeyFile);
  await expect(readAppKey(storage, withoutKey)).rejects.toThrow(message);
  await rm(storage.appKeyFile, { recursive: true });
  await symlink(join(folder, 'nowhere'), storage.appKeyFile);
  await expect(readAppKey(storage, withoutKey)).rejects.toThrow(message);
  await rm(storage.appKeyFile);
  link.mockRejectedValueOnce(failure('EIO'));
  await expect(readAppKey(storage, withoutKey)).rejects.toThrow(message);
  expect(await readdir(folder)).toEqual([]);
});
