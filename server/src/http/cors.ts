import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config/config.ts';

const allowedMethods = 'GET, POST, PUT, PATCH, DELETE';
const exposedHeaders =
  'X-Request-Id, X-Ring, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, Idempotency-Replayed, ' +
  'WWW-Authenticate, Content-Disposition, ETag, Ignored-Fields, API-Version, Deprecation, Sunset';

/**
 * Adds CORS headers, and responds to OPTIONS requests. The API takes bearer tokens and no cookies, so a foreign page has
 * no credentials of the user. The returned function says whether it has sent the response.
 */
export function corsPolicy({ corsOrigins }: Config): (request: FastifyRequest, reply: FastifyReply) => boolean {
  const allowedOrigins = corsOrigins === '*' ? undefined : new Set(corsOrigins);
  return (request, reply) => {
    const { origin } = request.headers;
    if (allowedOrigins) reply.header('vary', 'Origin');
    // Such an action decides itself: see `checkOrigin`.
    if (request.routeOptions.config.route?.action.allowsOrigin) return false;
    const isAllowed = origin !== undefined && (!allowedOrigins || allowedOrigins.has(origin));
    if (isAllowed) reply.header('access-control-allow-origin', allowedOrigins ? origin : '*');
    if (request.method !== 'OPTIONS') {
      if (isAllowed) reply.header('access-control-expose-headers', exposedHeaders);
      return false;
    }
    const requestedHeaders = request.headers['access-control-request-headers'];
    if (isAllowed && request.headers['access-control-request-method'] !== undefined) {
      reply.headers({ 'access-control-allow-methods': allowedMethods, 'access-control-max-age': '600' });
      if (requestedHeaders !== undefined) reply.header('access-control-allow-headers', requestedHeaders);
    }
    reply.status(204).send();
    return true;
  };
}
