import { ExitError, exitCodes } from '../exit.ts';
import { get } from './http.ts';
import { readMirror } from './mirror.ts';
import { parseManifest, type Releases, refusal, type Sources } from './source.ts';

/** The releases of the platform; those of the mirror if it offers none to this user. */
export async function readReleases(sources: Sources): Promise<Releases> {
  return (await readPlatform(sources)) ?? readMirror(sources);
}

const path = '/api/v1/cli/releases';
/** The platform has no such endpoint, has no channel or does not know the user. */
const absent = [401, 404, 405, 501];

async function readPlatform({ fetch, limits, platform }: Sources): Promise<Releases | undefined> {
  if (!platform) return undefined;
  const { headers, tenant } = platform;
  const base = platform.url.replace(/\/+$/, '');
  const response = await get(fetch, { url: `${base}${path}`, headers, limits: limits.text }).catch((error) => {
    if (platform.isGuess && error instanceof ExitError && error.code === exitCodes.network) return undefined;
    throw error;
  });
  if (!response || absent.includes(response.status)) return undefined;
  const { status, body } = response;
  const { host } = new URL(base);
  if (status !== 200) throw refusal(host, status);
  const { latest, min_supported, releases } = parseManifest(host, body.toString('utf8'));
  return {
    source: tenant === undefined ? base : `${base} ${tenant}`,
    url: new URL(base),
    headers,
    latest,
    minSupported: min_supported,
    async find(version) {
      const release = releases.find((one) => one.version === version);
      const assets = release?.assets.map((asset) => ({ ...asset, url: ownUrl(base, asset.url) })) ?? [];
      return release && { ...release, assets };
    },
  };
}

/** The platform may name itself otherwise than the configuration, whose host gets the token. */
function ownUrl(base: string, url: string): string {
  const { pathname = '', search = '' } = URL.parse(url, base) ?? {};
  return pathname.startsWith(`${path}/`) ? `${base}${pathname}${search}` : url;
}
