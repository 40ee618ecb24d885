import { chmod, mkdir, mkdtemp, readdir, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { binariesFor } from './binaries.ts';

const isRoot = process.getuid?.() === 0;
const account = { name: 'other', uid: 54_321, gid: 54_321 };

let folder: string;
let installed: { folder: string; version: string };
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chowk-binaries-'));
  await chmod(folder, 0o755);
  installed = { folder: join(folder, 'closed', 'native'), version: '18.0.0' };
  await mkdir(join(installed.folder, 'bin'), { recursive: true });
  await mkdir(join(installed.folder, 'lib'));
  await writeFile(join(installed.folder, 'bin', 'postgres'), '#!/bin/sh\n', { mode: 0o700 });
  await writeFile(join(installed.folder, 'lib', 'libpq.so.5.18'), '', { mode: 0o600 });
  await symlink('libpq.so.5.18', join(installed.folder, 'lib', 'libpq.so.5'));
});
afterAll(() => rm(folder, { recursive: true }));

test('an ordinary user runs the binaries that npm installed', async () => {
  expect(await binariesFor(undefined, installed, join(folder, 'unused'))).toBe(installed);
});

test.skipIf(!isRoot)(
  'binaries that the account cannot reach are copied once, readable for all (needs root)',
  async () => {
    await chmod(join(folder, 'closed'), 0o700);
    const cache = join(folder, 'cache');
    const copies = await Promise.all([1, 2, 3].map(() => binariesFor(account, installed, cache)));
    expect(new Set(copies.map((copy) => copy.folder))).toEqual(new Set([join(cache, 'postgresql-18.0.0')]));
    expect(await readdir(cache)).toEqual(['postgresql-18.0.0']);
    const lib = join(cache, 'postgresql-18.0.0', 'lib');
    expect(await readlink(join(lib, 'libpq.so.5'))).toBe('libpq.so.5.18');
    expect(await stat(join(lib, 'libpq.so.5'))).toMatchObject({ uid: 0, mode: 0o100755 });
  },
);

test.skipIf(!isRoot)('a cache that the account cannot reach either is an error (needs root)', async () => {
  const closedCache = join(folder, 'closed', 'cache');
  await expect(binariesFor(account, installed, closedCache)).rejects.toThrow(
    /^PostgreSQL cannot run as root, and the account other .* DATABASE_URL\.$/,
  );
});
