import { ExitError, exitCodes } from '../exit.ts';
import { get, resolveUrl } from './http.ts';
import { type Asset, assetName, type Manifest, type Release } from './manifest.ts';
import { parseManifest, type Releases, refusal, type Sources } from './source.ts';
import { compareVersions, isVersion } from './version.ts';

interface Link {
  readonly name: string;
  readonly url: string;
}

interface GitlabRelease {
  readonly version: string;
  readonly released_at: string;
  readonly notes: string;
  readonly notes_url: string;
  readonly links: readonly Link[];
}

/** The releases of the GitLab project that this program was built with: those with tags `cli/v<semver>`. */
export async function readMirror(sources: Sources): Promise<Releases> {
  const { apiBaseUrl, projectPath } = sources.mirror;
  const url = new URL(`${apiBaseUrl}/projects/${encodeURIComponent(projectPath)}/releases?per_page=100`);
  const releases = parseReleases(url.host, await getText(sources, url));
  const newest = releases.find(({ version }) => !version.includes('-')) ?? releases[0];
  if (!newest) throw broken(url.host, `has no releases of chowk in the project ${projectPath}`);
  const manifest = await readOwnManifest(sources, url, newest);
  return {
    source: `${apiBaseUrl} ${projectPath}`,
    url,
    headers: {},
    latest: newest.version,
    minSupported: manifest?.min_supported,
    async find(version) {
      const found = releases.find((release) => release.version === version);
      return found && readRelease(sources, url, found);
    },
  };
}

/** The newest first. */
function parseReleases(host: string, text: string): GitlabRelease[] {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    throw broken(host, 'did not answer with JSON');
  }
  if (!Array.isArray(list)) throw broken(host, 'did not answer with a list of releases');
  const releases = list.flatMap((release): GitlabRelease[] => {
    const version = /^cli\/v(.+)$/.exec(String(release?.tag_name))?.[1];
    if (!isVersion(version)) return [];
    const links = Array.isArray(release.assets?.links) ? (release.assets.links as Partial<Link>[]) : [];
    return [
      {
        version,
        released_at: String(release.released_at),
        notes: String(release.description ?? ''),
        notes_url: String(release._links?.self ?? ''),
        links: links.filter((link): link is Link => typeof link?.name === 'string' && typeof link.url === 'string'),
      },
    ];
  });
  return releases.sort((a, b) => compareVersions(b.version, a.version));
}

/** Digests come from `SHA256SUMS.txt`, signatures from `MANIFEST.json`, addresses from the links. */
async function readRelease(sources: Sources, base: URL, release: GitlabRelease): Promise<Release> {
  const { version, released_at, notes, notes_url, links } = release;
  const sums = await readLinked(sources, base, release, 'SHA256SUMS.txt');
  const signed = (await readOwnManifest(sources, base, release))?.releases.find((one) => one.version === version);
  const link = (name: string) => links.find((one) => one.name === name)?.url;
  if (!signed) {
    const assets = links.flatMap(({ name }) => namedAsset(version, name) ?? []);
    const found = assets.map((asset) => ({
      ...asset,
      url: link(asset.filename) ?? '',
      sha256: digest(sums, asset.filename),
    }));
    return { version, released_at, notes, notes_url, assets: found, signatures: [] };
  }
  for (const { filename, sha256 } of signed.assets) {
    if (digest(sums, filename) !== sha256) {
      throw broken(base.host, `has other digests in SHA256SUMS.txt than in MANIFEST.json of ${version}`);
    }
  }
  const assets = signed.assets.map((asset) => ({ ...asset, url: link(asset.filename) ?? '' }));
  return { ...signed, notes, notes_url, assets };
}

async function readOwnManifest(sources: Sources, base: URL, release: GitlabRelease): Promise<Manifest | undefined> {
  const text = await readLinked(sources, base, release, 'MANIFEST.json');
  return text === undefined ? undefined : parseManifest(base.host, text);
}

function namedAsset(version: string, filename: string): Omit<Asset, 'url'> | undefined {
  const [, os = '', arch = ''] = /_([a-z0-9]+)_([a-z0-9]+)\.(?:tar\.gz|zip)$/.exec(filename) ?? [];
  return filename === assetName(version, os, arch) ? { os, arch, filename } : undefined;
}

function digest(sums: string | undefined, filename: string): string | undefined {
  const lines = sums?.split(/\r?\n/).map((line) => /^([0-9a-f]{64}) [ *](.+)$/.exec(line)) ?? [];
  return lines.find((match) => match?.[2] === filename)?.[1];
}

async function readLinked(
  sources: Sources,
  base: URL,
  { links }: GitlabRelease,
  name: string,
): Promise<string | undefined> {
  const link = links.find((one) => one.name === name);
  return link && getText(sources, resolveUrl(link.url, base));
}

async function getText({ fetch, limits }: Sources, url: URL): Promise<string> {
  const { status, body } = await get(fetch, { url: url.href, limits: limits.text });
  if (status !== 200) throw refusal(url.host, status);
  return body.toString('utf8');
}

function broken(host: string, problem: string): ExitError {
  return new ExitError(exitCodes.server, `${host} ${problem}. Nothing was changed.`);
}
