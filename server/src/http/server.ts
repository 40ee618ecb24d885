import { randomUUID } from 'node:crypto';
import type { Action, Failure, TSchema } from '@chowk/kit';
import buildSerializer from 'fast-json-stringify';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { RegisteredAction } from '../actions/registry.ts';
import { fail } from '../errors.ts';
import type { Kernel } from '../kernel.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import { answerFailure, wrongMediaType } from './answer-failure.ts';
import { answerSchema, versionedOutput } from './answer-schema.ts';
import { answerUnreadable } from './answer-unreadable.ts';
import { compressKept } from './compress.ts';
import { originRule } from './cors.ts';
import { type Exchange, newExchange, type Route, type Step } from './exchange.ts';
import { stopCleanly } from './graceful-stop.ts';
import { keepAnswer } from './idempotency.ts';
import { HttpMetrics } from './metrics.ts';
import { pipeline } from './pipeline.ts';
import { inputReader } from './read-input.ts';
import { mountReference } from './reference.ts';
import { securityHeaders } from './security-headers.ts';

declare module 'fastify' {
  interface FastifyRequest {
    exchange: Exchange | undefined;
  }
  interface FastifyContextConfig {
    route?: Route;
  }
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** The HTTP side of the platform, not yet listening. */
export async function createHttpServer(kernel: Kernel): Promise<FastifyInstance> {
  const { config, log } = kernel;
  const app = Fastify({
    bodyLimit: config.bodyLimitBytes,
    // Longer than any honest upload takes; a body that trickles in would hold its connection for good.
    requestTimeout: 120_000,
    // Who takes nothing of an answer for so long has gone; what is sent to it holds a connection to a database.
    connectionTimeout: 120_000,
    trustProxy: config.trustedProxies.length > 0 ? [...config.trustedProxies] : false,
    genReqId: requestId,
    // A request that comes on an open connection during a stop is answered like any other: see `stopCleanly`.
    return503OnClosing: false,
    // Node would refuse with an empty body; `refuseEarly` says why.
    http: { requireHostHeader: false },
    clientErrorHandler: answerUnreadable,
    // No hook has run for what comes here.
    frameworkErrors: (error, request, reply) => {
      addStandingHeaders(request, reply);
      answerFailure(log, error, request, reply);
    },
    routerOptions: { maxParamLength: 500 },
  });
  const standing = securityHeaders(config);
  const addStandingHeaders = (request: FastifyRequest, reply: FastifyReply) => {
    reply.headers(standing);
    reply.header('x-request-id', request.id);
  };
  stopCleanly(app);
  app.decorateRequest('exchange', undefined);
  app.setErrorHandler((error, request, reply) => answerFailure(log, error, request, reply));
  const answersOrigin = originRule(config);
  app.addHook('onRequest', (request, reply, done) => {
    addStandingHeaders(request, reply);
    if (!answersOrigin(request, reply)) done(refuseEarly(request));
  });
  readBodies(app);
  app.setSerializerCompiler(({ schema }) => lazySerializer(schema as TSchema));
  const metrics = new HttpMetrics(app, kernel);
  mountRoutes(app, kernel);
  mountReference(app, kernel);
  metrics.mount();
  return app;
}

/** The caller's own id if it is a harmless one, so that its logs and ours can be laid side by side. */
function requestId({ headers }: { headers: NodeJS.Dict<string | string[]> }): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
}

/** What is refused whatever it is, before its body is read. */
function refuseEarly({ is404, method, url, headers, raw }: FastifyRequest): Failure | undefined {
  if (headers.host === undefined && raw.httpVersion === '1.1') return fail('tenancy.bad_host');
  return is404 ? fail('http.not_found', { method, path: url.split('?')[0] }) : undefined;
}

const readers: Readonly<Record<string, NonNullable<Action['accepts']>>> = {
  'application/json': 'json',
  'text/csv': 'csv',
  'application/x-www-form-urlencoded': 'form',
};

function readBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(Object.keys(readers), { parseAs: 'string' }, (request, text: string, done) => {
    const { exchange } = request;
    // Many clients send the type of a body they do not have.
    if (text === '') return done(null, undefined);
    if (exchange) exchange.rawBody = text;
    const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
    const { accepts = 'json' } = exchange?.route.action ?? {};
    const kind = readers[type];
    if (kind !== accepts && !(accepts === 'form' && kind === 'json')) {
      return done(wrongMediaType(exchange?.route.action), undefined);
    }
    if (kind === 'json') return parse(request, text, done);
    return done(null, kind === 'csv' ? text : readForm(text));
  });
}

/** A field that is given twice is told apart from one that is given once: what that means is for the route to say. */
function readForm(text: string): Record<string, string | string[]> {
  const form: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of new URLSearchParams(text)) {
    form[name] = form[name] === undefined ? value : [form[name], value].flat();
  }
  return { ...form };
}

function mountRoutes(app: FastifyInstance, kernel: Kernel): void {
  const methodsAt = new Map<string, string[]>();
  for (const action of kernel.actions) {
    const { method, path, bodyLimit } = action;
    if (!method) continue;
    const route = { action, readInput: inputReader(action), isVersioned: versionedOutput(action) };
    methodsAt.set(path, [...(methodsAt.get(path) ?? []), method]);
    app.route({
      method,
      url: path,
      config: { route },
      ...(bodyLimit === undefined ? {} : { bodyLimit }),
      ...responseSchema(action),
      onRequest: (request, reply, done) => {
        request.exchange = newExchange(kernel, request, reply, route);
        walk(pipeline.arrival, request.exchange, done);
      },
      preValidation: (request, _reply, done) => walk(pipeline.body, request.exchange as Exchange, done),
      // Only a POST has a key to keep its answer under; it is kept as it is, and compressed on its way.
      ...(method === 'POST' ? { onSend: [storeAnswer, compressKept] } : {}),
      handler: (request, reply) => (request.exchange?.answered ? reply : pipeline.run(request.exchange as Exchange)),
    });
  }
  for (const [url, allowed] of methodsAt) refuseOtherMethods(app, url, allowed);
}

function responseSchema(action: RegisteredAction) {
  const schema = answerSchema(action);
  return schema ? { schema: { response: { '2xx': schema } } } : {};
}

/** Built with the first response: building all of them takes half of the start. */
function lazySerializer(schema: TSchema): (value: unknown) => string {
  let serialize: ((value: unknown) => string) | undefined;
  return (value) => {
    serialize ??= buildSerializer(withoutFormats(schema));
    return serialize(value);
  };
}

/** An answer's dates are text by then: writing them needs no look at what a Date would be. */
function withoutFormats(schema: TSchema): TSchema {
  return JSON.parse(JSON.stringify(schema), (key, value) =>
    key === 'format' && typeof value === 'string' ? undefined : value,
  );
}

/** Takes a request through steps. Most have what they need at hand; only one that must wait makes the request wait. */
function walk(steps: readonly Step[], exchange: Exchange, done: (error?: Error) => void, from = 0): void {
  let pending = undefined as MaybePromise<void>;
  let index = from;
  try {
    for (; index < steps.length && !pending && !exchange.answered; index += 1) pending = steps[index]?.(exchange);
  } catch (error) {
    done(error as Error);
    return;
  }
  if (pending) pending.then(() => walk(steps, exchange, done, index), done);
  else done();
}

async function storeAnswer(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  const claim = request.exchange?.idempotency;
  const body = payload ?? '';
  if (request.exchange && claim && typeof body === 'string') {
    const contentType = String(reply.getHeader('content-type') ?? '');
    await keepAnswer(request.exchange.kernel.secrets, claim, { status: reply.statusCode, contentType, body });
  }
  return payload;
}

function refuseOtherMethods(app: FastifyInstance, url: string, allowed: readonly string[]): void {
  const refused = methods.filter((method) => !allowed.includes(method));
  if (refused.length === 0) return;
  const allow = [...allowed, ...(allowed.includes('GET') ? ['HEAD'] : [])].join(', ');
  const refuse = ({ method }: FastifyRequest) => {
    throw fail('http.method_not_allowed', { method, allowed: allow }, { headers: { Allow: allow } });
  };
  // Before the body is read: whatever is wrong with it, the method is wrong first.
  app.route({ method: refused, url, onRequest: async (request) => refuse(request), handler: refuse });
}
