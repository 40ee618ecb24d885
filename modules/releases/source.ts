import { Failure, type SystemServices } from '@chowk/kit';
import type { ReleaseChannel } from './channels.ts';
import { fail } from './errors.ts';

export const timeoutMs = 15_000;
const maxTextBytes = 5_000_000;

/** The text at an address of a channel; `undefined` if it has not changed since the `etag`. */
export async function fetchText(
  { http }: SystemServices,
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly text: string; readonly etag: string | undefined } | undefined> {
  try {
    const { status, headers: answered, body } = await http.request(url, { headers, timeoutMs, maxBytes: maxTextBytes });
    if (status === 304) return undefined;
    if (status !== 200) throw upstream(`${new URL(url).host} answered ${status}.`);
    return { text: body.toString('utf8'), etag: answered['etag'] };
  } catch (error) {
    throw asUpstream(error);
  }
}

/** The token of a GitLab channel, for addresses of its own API only. */
export function credentials({ adapter, config }: ReleaseChannel, url: string): Record<string, string> {
  const { token, api_url } = config;
  const isOwn = adapter === 'gitlab' && api_url !== undefined && URL.parse(url)?.origin === new URL(api_url).origin;
  return isOwn && token !== undefined ? { 'private-token': token } : {};
}

/** The address of the manifest of a channel other than GitLab. */
export function manifestUrl({ adapter, config }: ReleaseChannel): string {
  const { manifest_url = '', bucket, region, manifest_key = '' } = config;
  if (adapter === 'static') return manifest_url;
  const path = manifest_key.split('/').map(encodeURIComponent).join('/');
  return `https://${bucket}.s3.${region}.amazonaws.com/${path}`;
}

export function upstream(reason: string): Failure {
  return fail('releases.upstream_failed', { reason });
}

/** Failures of the outbound client say what is wrong; their status is that of a gateway. */
export function asUpstream(error: unknown): Failure {
  if (error instanceof Failure && error.code === 'releases.upstream_failed') return error;
  if (error instanceof Failure) return upstream(error.message);
  throw error;
}
