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
  if (allowedHosts.includes(hostname) || allowedHosts.includes(`${hostname}:${port}`)) return { url, isAllowed: true };
  if (protocol !== 'https:') throw fail('outbound.not_https');
  // Lower ports belong to other protocols, such as mail.
  if (port !== 443 && port < lowestUnreservedPort) throw fail('outbound.port_refused', { port });
  const address = hostname.replace(/^\[|\]$/g, '');
  if (isIP(address) !== 0 && !isPublicAddress(address)) throw refused(hostname);
  return { url, isAllowed: false };
}
