import type { IncomingMessage } from 'node:http';
import { hostOf, isLocalRequest, isLoopback } from '../network.ts';

/** Counts how often a request has been forwarded. */
export const hopsHeader = 'x-chowk-hops';

/** A request as the process knows it that forwards it. */
export interface ForwardedRequest {
  readonly raw: IncomingMessage;
  readonly id: string;
  /** The address of the client, and the host and protocol that it used, from the headers of trusted proxies. */
  readonly ip: string | undefined;
  readonly host: string;
  readonly protocol: string;
  readonly hops: number;
}

/** Headers of one connection: RFC 9110, 7.6.1. */
const hopByHop = /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect)$/;
/** The process that forwards a request has read those about its client. */
const replaced = /^(?:x-forwarded-.*|forwarded|x-real-ip|x-request-id|x-chowk-hops)$/;

/**
 * The headers for the process of the ring, as names and values in turn. It believes those about the client only if this
 * process is one of its trusted proxies.
 */
export function forwardedHeaders({ raw, id, ip, host, protocol, hops }: ForwardedRequest, target: URL): string[] {
  const headers = keepHeaders(raw.rawHeaders, raw.headers.connection, (name) => !replaced.test(name));
  headers.push('x-request-id', id, hopsHeader, String(hops + 1));
  // Between processes of one machine, a request from this machine stays one.
  if (isLocalRequest(raw) && isLoopback(hostOf(target))) return headers;
  if (ip !== undefined) headers.push('x-forwarded-for', ip);
  headers.push('x-forwarded-proto', protocol);
  if (host !== raw.headers.host) headers.push('x-forwarded-host', host);
  return headers;
}

/** The headers that are not of the connection and that `keeps` accepts. */
function keepHeaders(
  rawHeaders: readonly string[],
  connection: string | undefined,
  keeps: (name: string) => boolean,
): string[] {
  const named = connection === undefined ? [] : connection.toLowerCase().split(/\s*,\s*/);
  const headers: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    const key = name.toLowerCase();
    if (!hopByHop.test(key) && !named.includes(key) && keeps(key)) headers.push(name, rawHeaders[index + 1] as string);
  }
  return headers;
}

/** The headers of a response, without those of its connection. */
export function responseHeaders(rawHeaders: readonly string[]): string[] {
  const connection = rawHeaders.findIndex((text, index) => index % 2 === 0 && text.toLowerCase() === 'connection');
  return keepHeaders(rawHeaders, connection === -1 ? undefined : rawHeaders[connection + 1], () => true);
}
