import type { IncomingHttpHeaders } from 'node:http';
import { isIPv6 } from 'node:net';

/** The origin of a request. */
export interface RequestSource {
  /** The client's address, from the headers of trusted proxies. `undefined` if it has disconnected. */
  readonly ip: string | undefined;
  readonly host: string;
  readonly headers: IncomingHttpHeaders;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/**
 * The network to which limits apply: an IPv4 address, also in IPv4-mapped form, or the /64 prefix of an IPv6 address,
 * because one client usually controls the whole prefix.
 */
export function networkPrefix(address = ''): string {
  // Only an IPv6 address has a colon; the check of a whole address takes longer.
  if (!address.includes(':') || !isIPv6(address)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped) return mapped;
  const [head = '', tail] = address.toLowerCase().split('%')[0]?.split('::') ?? [];
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length;
  return [...left, ...Array.from({ length: zeros }, () => '0'), ...right].slice(0, 4).join(':');
}

/** The /48 prefix of an IPv6 network; an IPv4 network is its own site. */
export function networkSite(network: string): string {
  return network.split(':').slice(0, 3).join(':');
}

const forwardingHeader = /^(x-forwarded-|forwarded$|x-real-ip$|via$)/;

/** Whether the request comes directly from this machine. One that a proxy on this machine forwards does not. */
export function isLocalRequest({ socket, headers }: Pick<RequestSource, 'socket' | 'headers'>): boolean {
  const isForwarded = Object.keys(headers).some((name) => forwardingHeader.test(name));
  return !isForwarded && isLoopback(socket.remoteAddress ?? '');
}

export function isLoopback(address: string): boolean {
  return /^(127\.|::1$|::ffff:127\.|localhost$)/.test(address);
}

/** The host of a URL as `node:net` takes it: an IPv6 address without its brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}
