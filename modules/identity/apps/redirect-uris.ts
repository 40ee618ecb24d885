import type { Issues } from '@chowk/kit';

const loopback = ['localhost', '127.0.0.1', '[::1]'];
/** A reversed domain name (RFC 8252, 7.1): schemes such as `javascript` and `data` have no dot. */
const privateScheme = /^[a-z][a-z\d+-]*(\.[a-z\d+-]+)+:$/;

/** Why a redirect URI cannot be registered. */
export function redirectUriProblem(uri: string): string | undefined {
  const url = /^[\x21-\x7e]+$/.test(uri) ? URL.parse(uri) : null;
  if (!url) return 'This is not an absolute URI.';
  if (uri.includes('#')) return 'The URI must not have a fragment.';
  if (url.username !== '' || url.password !== '') return 'The URI must not contain credentials.';
  if (url.protocol === 'https:' || privateScheme.test(url.protocol)) return undefined;
  if (url.protocol === 'http:' && loopback.includes(url.hostname)) return undefined;
  return 'The URI must begin with https://, unless it leads to a program on the own machine.';
}

export function checkRedirectUris(uris: readonly string[], issues: Issues): void {
  for (const [index, uri] of uris.entries()) {
    const problem = redirectUriProblem(uri);
    if (problem !== undefined) issues.add(`redirect_uris.${index}`, problem);
  }
}

/** The redirect URI with the parameters of the response. */
export function addParameters(uri: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const added = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`],
  );
  return `${uri}${uri.includes('?') ? '&' : '?'}${added.join('&')}`;
}
