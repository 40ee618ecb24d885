import { isIP } from 'node:net';
import { fail } from '../errors.ts';
import { isPublicAddress } from './public-address.ts';
import { refused } from './public-lookup.ts';

/** Where a request goes. */
export interface Target {
  readonly url: URL;
  /** The operator allows the host by name: `http` and private addresses too. */
  readonly isAllowed: boolean;
}

const lowestUnreservedPort = 1024;

/** Throws unless a request may be sent to the URL. The addresses of a host name are checked when it is connected. */
export function checkTarget(text: string, allowedHosts: readonly string[], base?: URL): Target {
  const url = URL.parse(text, base?.href);
  if (!url || !['http:', 'https:'].includes(url.protocol)) throw fail('outbound.invalid_url');
  if (url.username !== '' || url.password !== '') throw fail('outbound.url_with_credentials');
  const { protocol, hostname } = url;
  const port = Number(url.port || (protocol === 'https:' ? 443 : 80));
  if (isAllowedHost(hostname, port, allowedHosts)) return { url, isAllowed: true };
  if (protocol !== 'https:') throw fail('outbound.not_https');
  // Lower ports belong to other protocols, such as mail.
  if (port !== 443 && port < lowestUnreservedPort) throw fail('outbound.port_refused', { port });
  mustBePublic(hostname);
  return { url, isAllowed: false };
}

/** A server of another protocol than HTTP. */
export interface Server {
  /** As a URL has it: an IP address in any spelling has become the usual one. */
  readonly hostname: string;
  readonly isAllowed: boolean;
}

/** Throws unless a connection may be opened to the host. The addresses of a name are checked when it is looked up. */
export function checkServer(host: string, port: number, allowedHosts: readonly string[]): Server {
  const text = isIP(host) === 6 ? `[${host}]` : host;
  const url = /[/?#@:\\\s]/.test(text.replace(/^\[.*\]$/, '')) ? null : URL.parse(`https://${text}`);
  if (!url) throw fail('outbound.invalid_host');
  const { hostname } = url;
  const isAllowed = isAllowedHost(hostname, port, allowedHosts);
  if (!isAllowed) mustBePublic(hostname);
  return { hostname: withoutBrackets(hostname), isAllowed };
}

function isAllowedHost(hostname: string, port: number, allowedHosts: readonly string[]): boolean {
  return allowedHosts.includes(hostname) || allowedHosts.includes(`${hostname}:${port}`);
}

function mustBePublic(hostname: string): void {
  const address = withoutBrackets(hostname);
  if (isIP(address) !== 0 && !isPublicAddress(address)) throw refused(hostname);
}

function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}
