import type { Failure, TSchema } from '@chowk/kit';
import buildSerializer from 'fast-json-stringify';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { RegisteredAction } from '../actions/registry.ts';
import { fail } from '../errors.ts';
import type { Kernel } from '../kernel.ts';
import { mountApiReference } from './api-reference.ts';
import { compressStoredBody } from './compress.ts';
import { corsPolicy } from './cors.ts';
import { sendErrorResponse } from './error-response.ts';
import { type Exchange, newExchange, type Route, type Step } from './exchange.ts';
import { stopGracefully } from './graceful-stop.ts';
import { storeResponse } from './idempotency.ts';
import { rejectMalformedRequest } from './malformed-request.ts';
import { HttpMetrics } from './metrics.ts';
import { parseBodies } from './parse-body.ts';
import { pipeline } from './pipeline.ts';
import { inputReader } from './read-input.ts';
import { requestId, responseHeaders } from './response-headers.ts';
import { hasEtag, responseSchema } from './response-schema.ts';

declare module 'fastify' {
  interface FastifyRequest {
    exchange: Exchange | undefined;
  }
  interface FastifyContextConfig {
    route?: Route;
  }
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** Creates the HTTP server with the routes of all actions. It does not listen yet. */
export async function createHttpServer(kernel: Kernel): Promise<FastifyInstance> {
  const { config, log } = kernel;
  const addResponseHeaders = responseHeaders(config);
  const app = Fastify({
    bodyLimit: config.bodyLimitBytes,
    // Limits how long a slow upload can hold its connection.
    requestTimeout: 120_000,
    // Disconnects clients that stop reading: a streamed response holds a database connection.
    connectionTimeout: 120_000,
    trustProxy: config.trustedProxies.length > 0 ? [...config.trustedProxies] : false,
    genReqId: requestId,
    // Requests on open connections are still served during a stop: see `stopGracefully`.
    return503OnClosing: false,
    // Node would respond with an empty body; `rejectEarly` responds with an error.
    http: { requireHostHeader: false },
    clientErrorHandler: rejectMalformedRequest,
    // No hook has run for these errors.
    frameworkErrors: (error, request, reply) => {
      addResponseHeaders(request, reply);
      sendErrorResponse(log, error, request, reply);
    },
    routerOptions: { maxParamLength: 500 },
  });
  stopGracefully(app);
  app.decorateRequest('exchange', undefined);
  app.setErrorHandler((error, request, reply) => sendErrorResponse(log, error, request, reply));
  const handlePreflight = corsPolicy(config);
  app.addHook('onRequest', (request, reply, done) => {
    addResponseHeaders(request, reply);
    if (!handlePreflight(request, reply)) done(rejectEarly(request));
  });
  parseBodies(app);
  app.setSerializerCompiler(({ schema }) => lazySerializer(schema as TSchema));
  const metrics = new HttpMetrics(app, kernel);
  mountRoutes(app, kernel);
  mountApiReference(app, kernel);
  metrics.mount();
  return app;
}

/** Errors that are known before the body is read. */
function rejectEarly({ is404, method, url, headers, raw }: FastifyRequest): Failure | undefined {
  if (headers.host === undefined && raw.httpVersion === '1.1') return fail('tenancy.bad_host');
  return is404 ? fail('http.not_found', { method, path: url.split('?')[0] }) : undefined;
}

function mountRoutes(app: FastifyInstance, kernel: Kernel): void {
  const methodsByPath = new Map<string, string[]>();
  for (const action of kernel.actions) {
    const { method, path, bodyLimit } = action;
    if (!method) continue;
    const route = { action, readInput: inputReader(action), hasEtag: hasEtag(action) };
    methodsByPath.set(path, [...(methodsByPath.get(path) ?? []), method]);
    app.route({
      method,
      url: path,
      config: { route },
      ...(bodyLimit === undefined ? {} : { bodyLimit }),
      ...serializerSchema(action),
      onRequest: (request, reply) => {
        request.exchange = newExchange(kernel, request, reply, route);
        return runSteps(pipeline.beforeBody, request.exchange);
      },
      // Only a POST can have an idempotency key. Its response is stored uncompressed.
      ...(method === 'POST'
        ? {
            preValidation: (request: FastifyRequest) => runSteps(pipeline.afterBody, request.exchange as Exchange),
            onSend: [storeIdempotentResponse, compressStoredBody],
          }
        : {}),
      handler: (request, reply) =>
        request.exchange?.isAnswered ? reply : pipeline.runAction(request.exchange as Exchange),
    });
  }
  for (const [url, allowed] of methodsByPath) rejectOtherMethods(app, url, allowed);
}

function serializerSchema(action: RegisteredAction) {
  const schema = responseSchema(action);
  return schema ? { schema: { response: { '2xx': schema } } } : {};
}

type Serializer = (value: unknown) => string;

/** Built with the first response: building all serializers would take half of the start. */
function lazySerializer(schema: TSchema): Serializer {
  let serialize: Serializer | undefined;
  return (value) => {
    serialize ??= serializerOf(JSON.stringify(schema));
    return serialize(value);
  };
}

const serializers = new Map<string, Serializer>();

/** Responses with the same schema share a serializer. */
function serializerOf(schema: string): Serializer {
  const serializer = serializers.get(schema) ?? buildSerializer(withoutFormats(schema));
  serializers.set(schema, serializer);
  return serializer;
}

/** Dates are already text: without `format` the serializer does not check for Date objects. */
function withoutFormats(schema: string): TSchema {
  return JSON.parse(schema, (key, value) => (key === 'format' && typeof value === 'string' ? undefined : value));
}

/** Runs steps in order until one of them has answered. */
async function runSteps(steps: readonly Step[], exchange: Exchange): Promise<void> {
  for (const step of steps) {
    if (exchange.isAnswered) return;
    await step(exchange);
  }
}

async function storeIdempotentResponse(request: FastifyRequest, reply: FastifyReply, payload: unknown) {
  const claim = request.exchange?.idempotency;
  const body = payload ?? '';
  if (request.exchange && claim && typeof body === 'string') {
    const contentType = String(reply.getHeader('content-type') ?? '');
    await storeResponse(request.exchange.kernel.secrets, claim, { status: reply.statusCode, contentType, body });
  }
  return payload;
}

function rejectOtherMethods(app: FastifyInstance, url: string, allowed: readonly string[]): void {
  const rejected = methods.filter((method) => !allowed.includes(method));
  if (rejected.length === 0) return;
  const allow = [...allowed, ...(allowed.includes('GET') ? ['HEAD'] : [])].join(', ');
  const reject = ({ method }: FastifyRequest) => {
    throw fail('http.method_not_allowed', { method, allowed: allow }, { headers: { Allow: allow } });
  };
  // Rejected before the body is read: a wrong method takes precedence over an invalid body.
  app.route({ method: rejected, url, onRequest: async (request) => reject(request), handler: reject });
}
