import { execFileSync } from 'node:child_process';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readManifest as readServerManifest } from '../../modules/releases/manifest.ts';
import { extractFile } from '../src/upgrade/archive.ts';
import { readManifest } from '../src/upgrade/manifest.ts';
import { requireSignature } from '../src/upgrade/signature.ts';
import { hasBun } from '../testing/require-bun.ts';
import { writeArchive } from './archives.ts';
import { buildRelease } from './build-release.ts';
import { publicKey, readReleaseKeys } from './keys.ts';
import { hostTarget } from './targets.ts';

const time = new Date('2026-11-01T09:00:00Z');
const { privateKey: signingKey } = generateKeyPairSync('ed25519');

describe.skipIf(!hasBun)('a release', () => {
  const target = hostTarget();
  const build = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'chowk-release-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await buildRelease({
      version: '3.2.1',
      targets: [target],
      folder,
      time,
      mirror: {},
      releaseKeys: [publicKey(signingKey).toString('base64')],
      signingKey,
      minSupported: '3.0.0',
      notes: 'Notes.',
      notesUrl: '',
      level: 1,
    });
    const names = (await readdir(folder)).sort();
    const contents = await Promise.all(names.map((name) => readFile(join(folder, name))));
    return { folder, names, contents, digests: contents.map((one) => createHash('sha256').update(one).digest('hex')) };
  };

  test('is the same, byte by byte, whenever and wherever it is built', async () => {
    const first = await build();
    const archive = `chowk_3.2.1_${target.replace('-', '_')}.tar.gz`;
    expect(first.names).toEqual(['MANIFEST.json', 'SHA256SUMS.txt', archive]);
    expect((await build()).digests).toEqual(first.digests);
    const [text, sums, packed] = first.contents as [Buffer, Buffer, Buffer];
    expect(sums.toString()).toBe(`${first.digests[2]}  ${archive}\n`);
    const manifest = readManifest(text.toString());
    expect(manifest).toMatchObject({ latest: '3.2.1', min_supported: '3.0.0' });
    const [release] = manifest.releases as [(typeof manifest.releases)[number]];
    expect(release.assets).toMatchObject([{ filename: archive, sha256: first.digests[2], size: packed.length }]);
    expect(requireSignature(release, { keys: [publicKey(signingKey).toString('base64')], allowUnsigned: false })).toBe(
      true,
    );
    expect((await readServerManifest(text.toString(), 'https://releases.example/')).releases).toHaveLength(1);
    // An independent reader: names, modes and times.
    const listed = execFileSync('tar', ['tzvf', join(first.folder, archive)], {
      encoding: 'utf8',
      env: { ...process.env, TZ: 'UTC' },
    });
    expect(
      listed
        .trim()
        .split('\n')
        .map((line) => [line.slice(0, 10), line.split(/\s+/).at(-1)]),
    ).toEqual([
      ['-rw-r--r--', 'LICENSE'],
      ['-rw-r--r--', 'README.md'],
      ['-rwxr-xr-x', 'chowk'],
    ]);
  });
});

test('archives of both kinds do not depend on the order of the files, and give them back', async () => {
  const files = ['b', 'chowk', 'a'].map((name) => ({
    name,
    mode: 0o644,
    content: Buffer.from(`the content of ${name}`),
  }));
  for (const archiveName of ['x.tar.gz', 'x.zip']) {
    const archive = writeArchive(archiveName, files, time);
    expect(archive).toEqual(writeArchive(archiveName, files.toReversed(), time));
    const content = await extractFile(archive, { archiveName, filename: 'chowk', maxBytes: 100_000 });
    expect(content.toString()).toBe('the content of chowk');
  }
});

test('public keys that are none are refused', () => {
  const key = publicKey(signingKey).toString('base64');
  expect(readReleaseKeys(`${key},${key}`)).toEqual([key, key]);
  expect(readReleaseKeys('')).toEqual([]);
  for (const text of ['abc', key.slice(1), `${key}x`])
    expect(() => readReleaseKeys(text)).toThrow('CHOWK_RELEASE_KEYS');
});
