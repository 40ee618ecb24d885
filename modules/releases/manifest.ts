import type { Static } from '@chowk/kit';
import { rcompare } from 'semver';
import { fail } from './errors.ts';
import { ReleaseManifest } from './schemas.ts';

export type Manifest = Static<typeof ReleaseManifest>;
export type Release = Manifest['releases'][number];
export type Asset = Release['assets'][number];

/** The manifest in a response of a source. Unknown fields are dropped; file names are completed; the newest release comes first. */
export async function readManifest(text: string, url: string): Promise<Manifest> {
  // Loaded only when it is needed: it has hundreds of files.
  const { Value } = await import('typebox/value');
  const manifest = Value.Clean(ReleaseManifest, Value.Default(ReleaseManifest, parseJson(text)));
  const [problem] = Value.Errors(ReleaseManifest, manifest);
  if (problem) {
    const place = problem.instancePath.slice(1).replaceAll('/', '.');
    throw fail('releases.upstream_failed', {
      reason: `the manifest is not valid: ${place || 'it'} ${problem.message}.`,
    });
  }
  const { releases, ...rest } = manifest as Manifest;
  const complete = releases.map((release) => ({
    ...release,
    assets: release.assets.map((asset) => completeAsset(release, asset, url)),
  }));
  return { ...rest, releases: complete.sort((a, b) => rcompare(a.version, b.version)) };
}

/** The manifest with download addresses of this platform instead of those of the source. */
export function withOwnUrls(manifest: Manifest, platformUrl: string): Manifest {
  const releases = manifest.releases.map((release) => ({
    ...release,
    assets: release.assets.map((asset) => ({
      ...asset,
      url: `${platformUrl}/api/v1/cli/releases/${release.version}/download/${asset.filename}`,
    })),
  }));
  return { ...manifest, releases };
}

export function findAsset(manifest: Manifest, { version, filename }: { version: string; filename: string }): Asset {
  const release = manifest.releases.find((one) => one.version === version);
  if (!release) throw fail('releases.not_found', { version });
  const asset = release.assets.find((one) => one.filename === filename);
  if (!asset) throw fail('releases.asset_not_found', { version, filename });
  return asset;
}

function completeAsset({ version }: Release, asset: Asset, manifestUrl: string): Asset {
  const extension = asset.os === 'windows' ? 'zip' : 'tar.gz';
  const filename = asset.filename ?? `chowk_${version}_${asset.os}_${asset.arch}.${extension}`;
  const url = URL.parse(asset.url, manifestUrl)?.href;
  if (url === undefined) {
    throw fail('releases.upstream_failed', { reason: `the address of ${filename} is not valid.` });
  }
  return { ...asset, filename, url };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw fail('releases.upstream_failed', { reason: 'the manifest is not valid JSON.' });
  }
}
