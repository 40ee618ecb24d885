import { createHash, type KeyObject, sign } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Asset, assetName } from '../src/upgrade/manifest.ts';
import { keyId, signedText } from '../src/upgrade/signature.ts';
import { writeArchive } from './archives.ts';
import { compile } from './bun.ts';
import { publicKey } from './keys.ts';
import type { Target } from './targets.ts';

export interface ReleaseOptions {
  readonly version: string;
  readonly targets: readonly Target[];
  readonly folder: string;
  /** The time of the release and of all files in the archives. */
  readonly time: Date;
  readonly mirror: { readonly apiBaseUrl?: string | undefined; readonly projectPath?: string | undefined };
  /** Public keys that the program trusts, in base64. */
  readonly releaseKeys: readonly string[];
  readonly signingKey?: KeyObject | undefined;
  readonly minSupported: string;
  readonly notes: string;
  readonly notesUrl: string;
  /** The level of compression, 1 to 9. */
  readonly level?: number | undefined;
}

export interface BuiltAsset extends Asset {
  readonly sha256: string;
  readonly size: number;
}

const cli = join(import.meta.dirname, '..');

/** Writes the archives, `SHA256SUMS.txt` and `MANIFEST.json` of a release. */
export async function buildRelease(options: ReleaseOptions): Promise<readonly BuiltAsset[]> {
  await mkdir(options.folder, { recursive: true });
  const assets: BuiltAsset[] = [];
  // One after the other: each takes several hundred megabytes of memory.
  for (const target of options.targets) assets.push(await buildArchive(options, target));
  const sums = assets.map(({ sha256, filename }) => `${sha256}  ${filename}\n`);
  await writeFile(join(options.folder, 'SHA256SUMS.txt'), sums.sort().join(''));
  await writeFile(join(options.folder, 'MANIFEST.json'), `${JSON.stringify(manifest(options, assets), null, 2)}\n`);
  return assets;
}

async function buildArchive(options: ReleaseOptions, target: Target): Promise<BuiltAsset> {
  const { version, folder, time, level } = options;
  const [os, arch] = target.split('-') as [string, string];
  const filename = assetName(version, os, arch);
  const files = [
    { name: os === 'windows' ? 'chowk.exe' : 'chowk', mode: 0o755, content: await compileProgram(options, target) },
    { name: 'README.md', mode: 0o644, content: await readFile(join(cli, 'README.md')) },
    { name: 'LICENSE', mode: 0o644, content: await readFile(join(cli, '../LICENSE')) },
  ];
  const archive = writeArchive(filename, files, time, level);
  await writeFile(join(folder, filename), archive);
  const sha256 = createHash('sha256').update(archive).digest('hex');
  return { os, arch, url: filename, sha256, size: archive.length, filename };
}

async function compileProgram(options: ReleaseOptions, target: Target): Promise<Buffer> {
  const { version, mirror, releaseKeys } = options;
  const folder = await mkdtemp(join(tmpdir(), 'chowk-release-'));
  const outfile = join(folder, target.startsWith('windows') ? 'chowk.exe' : 'chowk');
  const constants = {
    CHOWK_VERSION: version,
    ...(mirror.apiBaseUrl === undefined ? {} : { CHOWK_API_BASE_URL: mirror.apiBaseUrl }),
    ...(mirror.projectPath === undefined ? {} : { CHOWK_PROJECT_PATH: mirror.projectPath }),
    CHOWK_RELEASE_KEYS: releaseKeys.join(','),
  };
  try {
    await compile({ entry: join(cli, 'src/main.ts'), target, outfile, constants });
    return await readFile(outfile);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function manifest(options: ReleaseOptions, assets: readonly BuiltAsset[]) {
  const { version, time, minSupported, notes, notesUrl, signingKey } = options;
  const release = { version, released_at: time.toISOString(), notes, notes_url: notesUrl, assets };
  const signatures = signingKey && [
    {
      key: keyId(publicKey(signingKey)),
      signature: sign(null, Buffer.from(signedText(release)), signingKey).toString('base64'),
    },
  ];
  return {
    schema_version: 1,
    channel: 'stable',
    latest: version,
    min_supported: minSupported,
    releases: [{ ...release, ...(signatures && { signatures }) }],
  };
}
