import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { rcompare, valid } from 'semver';
import { type Asset, type Manifest, type Release, readManifest } from './manifest.ts';
import { type SigningKey, signRelease } from './signature.ts';

export interface PublishOptions {
  readonly channel: string;
  readonly minSupported: string | undefined;
  readonly notes: string;
  readonly notesUrl: string;
  readonly now: Date;
  readonly keys: readonly SigningKey[];
}

const archiveName = /^chowk_(.+)_([a-z0-9]+)_([a-z0-9]+)\.(?:tar\.gz|zip)$/;

/**
 * Writes `MANIFEST.json` and `SHA256SUMS.txt` for the archives of a folder. Releases that the manifest has already stay, with the
 * time and notes of their publication, and are signed again.
 */
export async function publishFolder(folder: string, options: PublishOptions): Promise<Manifest> {
  const file = join(folder, 'MANIFEST.json');
  const earlier = existsSync(file) ? await readManifest(await readFile(file, 'utf8'), 'https://invalid') : undefined;
  const found = await readArchives(folder);
  if (found.size === 0) throw new Error(`${folder} has no archives such as chowk_1.0.0_linux_x64.tar.gz`);
  const versions = [...new Set([...found.keys(), ...(earlier?.releases.map(({ version }) => version) ?? [])])].sort(
    rcompare,
  );
  const releases = versions.map((version) => {
    const known = earlier?.releases.find((release) => release.version === version);
    const assets = found.get(version) ?? known?.assets ?? [];
    const fresh = { released_at: options.now.toISOString(), notes: options.notes, notes_url: options.notesUrl };
    const { released_at, notes, notes_url } = known ?? fresh;
    return signRelease({ version, released_at, notes, notes_url, assets }, options.keys);
  });
  const latest = versions[0] as string;
  const manifest: Manifest = {
    schema_version: 1,
    channel: options.channel,
    latest,
    min_supported: options.minSupported ?? earlier?.min_supported ?? (versions.at(-1) as string),
    releases,
  };
  await replace(file, `${JSON.stringify(manifest, null, 2)}\n`);
  await replace(join(folder, 'SHA256SUMS.txt'), checksums(releases));
  return manifest;
}

async function readArchives(folder: string): Promise<Map<string, Asset[]>> {
  const assets = new Map<string, Asset[]>();
  for (const filename of (await readdir(folder)).sort()) {
    const [, version = '', os, arch] = archiveName.exec(filename) ?? [];
    if (os === undefined || arch === undefined || valid(version) === null) continue;
    const path = join(folder, filename);
    const asset = { os, arch, url: filename, sha256: await digest(path), size: (await stat(path)).size, filename };
    assets.set(version, [...(assets.get(version) ?? []), asset]);
  }
  return assets;
}

async function digest(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

function checksums(releases: readonly Release[]): string {
  const lines = releases.flatMap(({ assets }) => assets.map(({ sha256, filename }) => `${sha256}  ${filename}\n`));
  return lines.join('');
}

/** A reader gets the old or the new content. */
async function replace(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text);
  await rename(`${file}.new`, file);
}
