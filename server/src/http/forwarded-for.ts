import type { IncomingHttpHeaders } from 'node:http';

/**
 * Removes the ports that some proxies add to addresses: `203.0.113.7:4711`, `[2001:db8::7]:4711`. With its port an address
 * would match no trusted proxy, and every connection of a client would have a rate limit of its own.
 */
export function dropForwardedPorts(headers: IncomingHttpHeaders): void {
  const addresses = headers['x-forwarded-for'];
  if (addresses === undefined) return;
  headers['x-forwarded-for'] = String(addresses)
    .split(',')
    .map((address) => withoutPort(address.trim()))
    .join(', ');
}

function withoutPort(address: string): string {
  return /^\[([^\]]*)\](?::\d+)?$/.exec(address)?.[1] ?? address.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
}
