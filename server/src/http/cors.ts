import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';

const methods = 'GET, POST, PUT, PATCH, DELETE';
const exposed =
  'X-Request-Id, X-Ring, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, Idempotency-Replayed, ' +
  'WWW-Authenticate, Content-Disposition, ETag, Ignored-Fields';

/**
 * Lets pages of other origins call the API. It takes bearer tokens and no cookies, so nothing rides along with such a
 * call. Only a request that names its origin costs anything: most callers are no browsers. Tells whether the request
 * was a question about that alone, and is answered.
 */
export function originRule({ corsOrigins }: Config): (request: FastifyRequest, reply: FastifyReply) => boolean {
  const listed = corsOrigins === '*' ? undefined : new Set(corsOrigins);
  return (request, reply) => {
    const { origin } = request.headers;
    if (listed) reply.header('vary', 'Origin');
    const allowed = origin !== undefined && (!listed || listed.has(origin));
    if (allowed) reply.header('access-control-allow-origin', listed ? origin : '*');
    if (request.method !== 'OPTIONS') {
      if (allowed) reply.header('access-control-expose-headers', exposed);
      return false;
    }
    const wanted = request.headers['access-control-request-headers'];
    if (allowed && request.headers['access-control-request-method'] !== undefined) {
      reply.headers({ 'access-control-allow-methods': methods, 'access-control-max-age': '600' });
      if (wanted !== undefined) reply.header('access-control-allow-headers', wanted);
    }
    reply.status(204).send();
    return true;
  };
}
