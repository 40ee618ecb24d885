import { randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config/config.ts';

const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
} as const;

const httpsHeaders = {
  ...securityHeaders,
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
} as const;

/** Adds the headers of every response; a route may override them. */
export function responseHeaders({ appUrl }: Config): (request: FastifyRequest, reply: FastifyReply) => void {
  const headers = appUrl.startsWith('https:') ? httpsHeaders : securityHeaders;
  return (request, reply) => {
    reply.headers(headers);
    reply.header('x-request-id', request.id);
  };
}

/** The client's `X-Request-Id` if it is valid, so that client and server logs can be correlated; else a new one. */
export function requestId({ headers }: { headers: NodeJS.Dict<string | string[]> }): string {
  const id = headers['x-request-id'];
  return typeof id === 'string' && /^[\w.:-]{1,128}$/.test(id) ? id : randomUUID();
}
