import { isVersion } from './version.ts';

/** The release manifest, `schema_version` 1. */
export interface Manifest {
  readonly channel: string;
  readonly latest: string;
  readonly min_supported: string;
  readonly releases: readonly Release[];
}

export interface Release {
  readonly version: string;
  readonly released_at: string;
  readonly notes: string;
  readonly notes_url: string;
  readonly assets: readonly Asset[];
  readonly signatures: readonly Signature[];
}

export interface Asset {
  readonly os: string;
  readonly arch: string;
  readonly url: string;
  readonly sha256?: string | undefined;
  readonly size?: number | undefined;
  readonly filename: string;
}

export interface Signature {
  readonly key: string;
  readonly signature: string;
}

/** What is wrong with a manifest, as the end of a sentence about it. */
export class ManifestError extends Error {}

const namePattern = /^[A-Za-z0-9][\w.+-]{0,199}$/;
// Signed texts have one line for each file: no field may contain a space or a line break.
const wordPattern = /^[a-z0-9_]{1,20}$/;
const timePattern = /^\d{4}-\d\d-\d\dT[\d:.]{5,20}(Z|[+-]\d\d:\d\d)$/;

export function assetName(version: string, os: string, arch: string): string {
  return `chowk_${version}_${os}_${arch}.${os === 'windows' ? 'zip' : 'tar.gz'}`;
}

/** Checks what this program uses. Fields that are not known yet are allowed. */
export function readManifest(text: string): Manifest {
  const manifest = asRecord(parse(text), 'the manifest');
  if (manifest.schema_version !== 1) {
    throw new ManifestError(
      `has schema_version ${JSON.stringify(manifest.schema_version)}; this version of chowk reads 1`,
    );
  }
  const { channel, latest, min_supported, releases } = manifest;
  return {
    channel: asText(channel ?? '', 'channel'),
    latest: asVersion(latest, 'latest'),
    min_supported: asVersion(min_supported, 'min_supported'),
    releases: asList(releases, 'releases').map((release, index) => readRelease(release, `releases.${index}`)),
  };
}

function readRelease(value: unknown, place: string): Release {
  const { version, released_at, notes, notes_url, assets, signatures } = asRecord(value, place);
  const known = asVersion(version, `${place}.version`);
  return {
    version: known,
    released_at: asText(released_at, `${place}.released_at`, timePattern),
    notes: asText(notes ?? '', `${place}.notes`),
    notes_url: asText(notes_url ?? '', `${place}.notes_url`),
    assets: asList(assets, `${place}.assets`).map((asset, index) =>
      readAsset(asset, known, `${place}.assets.${index}`),
    ),
    signatures: asList(signatures ?? [], `${place}.signatures`).map((one, index) => {
      const { key, signature } = asRecord(one, `${place}.signatures.${index}`);
      return {
        key: asText(key, `${place}.signatures.key`),
        signature: asText(signature, `${place}.signatures.signature`),
      };
    }),
  };
}

function readAsset(value: unknown, version: string, place: string): Asset {
  const fields = asRecord(value, place);
  const os = asText(fields.os, `${place}.os`, wordPattern);
  const arch = asText(fields.arch, `${place}.arch`, wordPattern);
  const { sha256, size, filename = assetName(version, os, arch) } = fields;
  if (size !== undefined && !(Number.isSafeInteger(size) && (size as number) >= 0)) wrong(`${place}.size`);
  return {
    os,
    arch,
    url: asText(fields.url, `${place}.url`),
    sha256: sha256 === undefined ? undefined : asText(sha256, `${place}.sha256`, /^[0-9a-f]{64}$/),
    size: size as number | undefined,
    filename: asText(filename, `${place}.filename`, namePattern),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ManifestError('is not valid JSON', { cause: error });
  }
}

function asRecord(value: unknown, place: string): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : wrong(place);
}

function asList(value: unknown, place: string): unknown[] {
  return Array.isArray(value) ? value : wrong(place);
}

function asText(value: unknown, place: string, pattern = /^/): string {
  return typeof value === 'string' && pattern.test(value) ? value : wrong(place);
}

function asVersion(value: unknown, place: string): string {
  return isVersion(value) ? value : wrong(place);
}

function wrong(place: string): never {
  throw new ManifestError(`is not valid at ${place}`);
}
