import type { SystemServices } from '@chowk/kit';
import { LRUCache } from 'lru-cache';
import { prerelease, rcompare, valid } from 'semver';
import type { ReleaseChannel } from './channels.ts';
import { type Asset, type Manifest, type Release, readManifest } from './manifest.ts';
import { credentials, fetchText, upstream } from './source.ts';

interface Link {
  readonly name: string;
  readonly url: string;
}

interface GitlabRelease {
  readonly tag_name: string;
  readonly released_at: string;
  readonly description: string | null;
  readonly _links?: { readonly self?: string };
  readonly assets?: { readonly links?: readonly Link[] };
}

interface Tagged extends GitlabRelease {
  readonly version: string;
}

const maxReleases = 20;
/** The manifest and the digests of a release never change. */
const texts = new LRUCache<string, string>({ max: 500 });

/** The manifest of a GitLab project: its releases with tags `cli/v<semver>`, each with its own `MANIFEST.json`. */
export async function readGitlab(system: SystemServices, channel: ReleaseChannel): Promise<Manifest> {
  const { project = '', api_url = '' } = channel.config;
  const url = `${api_url}/projects/${encodeURIComponent(project)}/releases?per_page=100`;
  const answer = await fetchText(system, url, credentials(channel, url));
  const releases = readReleases(answer?.text ?? '');
  // A prerelease is offered only if there is nothing else.
  const latest = releases.find(({ version }) => prerelease(version) === null) ?? releases[0];
  if (!latest) throw upstream(`the project ${project} has no release with a tag such as cli/v1.0.0.`);
  const read = await Promise.all(releases.map((release) => readRelease(system, channel, release)));
  return {
    schema_version: 1,
    channel: read[0]?.channel ?? 'stable',
    latest: latest.version,
    min_supported: read[0]?.min_supported ?? releases.at(-1)?.version ?? latest.version,
    releases: read.map(({ release }) => release),
  };
}

function readReleases(text: string): Tagged[] {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    throw upstream('GitLab did not answer with JSON.');
  }
  if (!Array.isArray(list)) throw upstream('GitLab did not answer with a list of releases.');
  const tagged = (list as Partial<GitlabRelease>[]).flatMap((release) => {
    const version = valid(/^cli\/v(.+)$/.exec(String(release?.tag_name))?.[1]);
    return version === null ? [] : [{ ...release, version } as Tagged];
  });
  return tagged.sort((a, b) => rcompare(a.version, b.version)).slice(0, maxReleases);
}

async function readRelease(
  system: SystemServices,
  channel: ReleaseChannel,
  tagged: Tagged,
): Promise<{ release: Release; channel?: string; min_supported?: string }> {
  const links = (tagged.assets?.links ?? []).filter(({ name, url }) => isText(name) && isText(url));
  const common = { notes: tagged.description ?? '', notes_url: tagged._links?.self ?? '' };
  const read = async (name: string) => {
    const link = links.find((one) => one.name === name);
    return link && readOnce(system, channel, link.url);
  };
  const text = await read('MANIFEST.json');
  if (text !== undefined) {
    const manifest = await readManifest(text, tagged._links?.self ?? channel.config['api_url'] ?? '');
    const release = manifest.releases.find(({ version }) => version === tagged.version);
    if (!release) throw upstream(`the manifest of ${tagged.tag_name} does not name its version.`);
    return {
      ...manifest,
      release: { ...release, ...common, assets: release.assets.map((asset) => linked(asset, links)) },
    };
  }
  const sums = await read('SHA256SUMS.txt');
  const assets = links.flatMap((link) => namedAsset(tagged.version, link, sums));
  return { release: { version: tagged.version, released_at: tagged.released_at, ...common, assets } };
}

/** The asset at the address of its link. One without a link stays, because the signature covers it. */
function linked(asset: Asset, links: readonly Link[]): Asset {
  return { ...asset, url: links.find(({ name }) => name === asset.filename)?.url ?? asset.url };
}

function namedAsset(version: string, { name, url }: Link, sums: string | undefined): Asset[] {
  const [, os, arch] =
    new RegExp(`^chowk_${RegExp.escape(version)}_([a-z0-9]+)_([a-z0-9_]+)\\.(?:tar\\.gz|zip)$`).exec(name) ?? [];
  if (os === undefined || arch === undefined) return [];
  const sha256 = sums
    ?.split('\n')
    .find((line) => line.trimEnd().endsWith(` ${name}`) || line.trimEnd().endsWith(`*${name}`))
    ?.slice(0, 64);
  return [{ os, arch, url, filename: name, ...(sha256 && /^[0-9a-f]{64}$/.test(sha256) ? { sha256 } : {}) }];
}

async function readOnce(system: SystemServices, channel: ReleaseChannel, url: string): Promise<string> {
  const key = `${channel.key} ${url}`;
  const known = texts.get(key);
  if (known !== undefined) return known;
  const text = (await fetchText(system, url, credentials(channel, url)))?.text ?? '';
  texts.set(key, text);
  return text;
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}
