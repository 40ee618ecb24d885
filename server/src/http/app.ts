import type { Log } from '@chowk/kit/kernel';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Config } from '../config/config.ts';
import { fail } from '../errors.ts';
import { sendErrorResponse } from './error-response.ts';
import { dropForwardedPorts } from './forwarded-for.ts';
import { rejectMalformedRequest } from './malformed-request.ts';
import { requestId, responseHeaders } from './response-headers.ts';
import { isSocketRequest } from './sockets.ts';

/** Creates an HTTP server without routes, for a ring or for a front. */
export function createApp(config: Config, log: Log): FastifyInstance {
  const addResponseHeaders = responseHeaders(config);
  const hasProxies = config.trustedProxies.length > 0;
  const app = Fastify({
    bodyLimit: config.bodyLimitBytes,
    // Limits how long a slow upload can hold its connection.
    requestTimeout: 120_000,
    // Disconnects clients that stop reading: a streamed response holds a database connection.
    connectionTimeout: 120_000,
    trustProxy: hasProxies ? [...config.trustedProxies] : false,
    genReqId: requestId,
    // Requests on open connections are still served during a stop: see `stopGracefully`.
    return503OnClosing: false,
    // Node would respond with an empty body; the first hook responds with an error.
    http: { requireHostHeader: false, shouldUpgradeCallback: isSocketRequest },
    clientErrorHandler: rejectMalformedRequest,
    // No hook has run for these errors.
    frameworkErrors: (error, request, reply) => {
      addResponseHeaders(request, reply);
      sendErrorResponse(log, error, request, reply);
    },
    routerOptions: { maxParamLength: 500 },
  });
  app.decorateRequest('exchange', undefined);
  app.setErrorHandler((error, request, reply) => sendErrorResponse(log, error, request, reply));
  app.addHook('onRequest', (request, reply, done) => {
    if (hasProxies) dropForwardedPorts(request.headers);
    addResponseHeaders(request, reply);
    const hasHost = request.headers.host !== undefined || request.raw.httpVersion !== '1.1';
    done(hasHost ? undefined : fail('tenancy.bad_host'));
  });
  return app;
}
