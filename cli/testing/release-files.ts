import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { writeArchive } from '../release/archives.ts';
import { publicKey } from '../release/keys.ts';
import type { PackedFile } from '../release/tar.ts';
import { keyId, signedText } from '../src/upgrade/signature.ts';

/** A key that signs releases in tests, and one that nobody knows. */
export const [releaseKey, strangeKey] = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')].map(
  ({ privateKey }) => privateKey,
) as [KeyObject, KeyObject];
export const publicReleaseKey = publicKey(releaseKey).toString('base64');

const time = new Date('2026-11-01T09:00:00Z');

/** A program that prints its version, as chowk does. */
export function program(version: string): Buffer {
  return Buffer.from(`#!/bin/sh\n[ "$1" = version ] && echo "chowk ${version}"\n`);
}

export function packed(name: string, content: Buffer, mode = 0o755): PackedFile {
  return { name, content, mode };
}

export function archive(version: string, os = 'linux'): Buffer {
  const name = os === 'windows' ? 'chowk.exe' : 'chowk';
  return writeArchive(`chowk.${os === 'windows' ? 'zip' : 'tar.gz'}`, [packed(name, program(version))], time);
}

export interface TestAsset {
  os: string;
  arch: string;
  url: string;
  sha256?: string | undefined;
  size?: number | undefined;
  filename: string;
}

export interface TestRelease {
  version: string;
  released_at: string;
  notes: string;
  notes_url: string;
  assets: TestAsset[];
  signatures?: { key: string; signature: string }[] | undefined;
}

export function asset(version: string, content: Buffer, { os = 'linux', arch = 'x64' } = {}): TestAsset {
  const filename = `chowk_${version}_${os}_${arch}.${os === 'windows' ? 'zip' : 'tar.gz'}`;
  const sha256 = createHash('sha256').update(content).digest('hex');
  return { os, arch, url: `/files/${filename}`, sha256, size: content.length, filename };
}

export function signed(release: TestRelease, key = releaseKey): TestRelease {
  const text = Buffer.from(signedText(release as Parameters<typeof signedText>[0]));
  const signature = sign(null, text, key).toString('base64');
  return { ...release, signatures: [{ key: keyId(publicKey(key)), signature }] };
}

export function release(version: string, content: Buffer, changes: Partial<TestRelease> = {}): TestRelease {
  return signed({
    version,
    released_at: time.toISOString(),
    notes: `What is new in ${version}.`,
    notes_url: `https://releases.example/${version}`,
    assets: [asset(version, content)],
    ...changes,
  });
}

export function manifest(releases: readonly TestRelease[], changes: object = {}): object {
  const latest = releases[0]?.version;
  return { schema_version: 1, channel: 'stable', latest, min_supported: '0.1.0', releases, ...changes };
}
