import type { FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';

const methods = 'GET, POST, PUT, PATCH, DELETE';
const exposed =
  'X-Request-Id, X-Ring, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, Idempotency-Replayed, ' +
  'WWW-Authenticate, Content-Disposition';

/**
 * Lets pages of other origins call the API. It takes bearer tokens and no cookies, so nothing rides along with such a
 * call. Only a request that names its origin costs anything: most callers are no browsers.
 */
export function allowOrigins(app: FastifyInstance, { corsOrigins }: Config): void {
  const listed = corsOrigins === '*' ? undefined : new Set(corsOrigins);
  app.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers;
    if (listed) reply.header('Vary', 'Origin');
    const allowed = origin !== undefined && (!listed || listed.has(origin));
    if (allowed) reply.header('Access-Control-Allow-Origin', listed ? origin : '*');
    if (request.method !== 'OPTIONS') {
      if (allowed) reply.header('Access-Control-Expose-Headers', exposed);
      return done();
    }
    const wanted = request.headers['access-control-request-headers'];
    if (allowed && request.headers['access-control-request-method'] !== undefined) {
      reply.headers({ 'Access-Control-Allow-Methods': methods, 'Access-Control-Max-Age': '600' });
      if (wanted !== undefined) reply.header('Access-Control-Allow-Headers', wanted);
    }
    return reply.status(204).send();
  });
}
