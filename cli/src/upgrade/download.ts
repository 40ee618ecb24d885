import { createHash } from 'node:crypto';
import { ExitError, exitCodes } from '../exit.ts';
import { extractFile } from './archive.ts';
import { ArchiveError } from './archive-entry.ts';
import { get, resolveUrl } from './http.ts';
import { type Asset, assetName, type Release } from './manifest.ts';
import type { Releases, Sources } from './source.ts';

/** The archive of a release for a platform. Without a digest it is refused. */
export function requireAsset(release: Release, os: string, arch: string): Asset & { readonly sha256: string } {
  const filename = assetName(release.version, os, arch);
  const asset = release.assets.find((one) => one.filename === filename && one.url !== '');
  if (!asset) throw new ExitError(exitCodes.server, `The release ${release.version} has no file ${filename}.`);
  const { sha256 } = asset;
  if (sha256 === undefined) {
    throw new ExitError(
      exitCodes.server,
      `The release ${release.version} has no digest of ${filename}, so it cannot be verified.`,
    );
  }
  return { ...asset, sha256 };
}

export interface Download {
  readonly sources: Sources;
  readonly releases: Releases;
  readonly asset: Asset & { readonly sha256: string };
  readonly onData: (bytes: number) => void;
}

/** The program in the archive, whose size and digest are those of the manifest. */
export async function downloadProgram({ sources, releases, asset, onData }: Download): Promise<Buffer> {
  const { filename, sha256, size, os } = asset;
  const limits = sources.limits.archive;
  const url = resolveUrl(asset.url, releases.url);
  const { status, body } = await get(sources.fetch, {
    url: url.href,
    headers: url.origin === releases.url.origin ? releases.headers : {},
    limits: { ...limits, maxBytes: Math.min(limits.maxBytes, size ?? limits.maxBytes) },
    onData,
  });
  if (status !== 200) throw problem(`${url.host} answered ${status} to the request for ${filename}`);
  if (createHash('sha256').update(body).digest('hex') !== sha256) {
    throw problem(`${filename} does not have the digest that the release states`);
  }
  try {
    const program = os === 'windows' ? 'chowk.exe' : 'chowk';
    return await extractFile(body, {
      archiveName: filename,
      filename: program,
      maxBytes: sources.limits.unpackedBytes,
    });
  } catch (error) {
    if (error instanceof ArchiveError) throw problem(`${filename} ${error.message}`);
    throw error;
  }
}

function problem(text: string): ExitError {
  return new ExitError(exitCodes.server, `${text}. Nothing was changed.`);
}
