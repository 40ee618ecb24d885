import { type Failure, type TSchema, uploadField } from '@chowk/kit/kernel';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RegisteredAction } from '../actions/registry.ts';
import { hasEtag, responseSchema } from '../actions/response-schema.ts';
import { responseSerializer } from '../actions/response-serializer.ts';
import { fail } from '../errors.ts';
import type { Kernel } from '../kernel.ts';
import { mountApiReference } from './api-reference.ts';
import { deprecationHeaders, negotiateVersion } from './api-version.ts';
import { createApp } from './app.ts';
import { isForConsole, sendConsole } from './console.ts';
import { corsPolicy } from './cors.ts';
import { Exchange, type Route } from './exchange.ts';
import { forwardStep } from './forward.ts';
import { type Gate, gateFinder } from './gates.ts';
import { stopGracefully } from './graceful-stop.ts';
import { logRequest } from './log-request.ts';
import { HttpMetrics } from './metrics.ts';
import { handleRequest } from './pipeline.ts';
import { isNetworkLimited, limitAnonymous } from './rate-limit.ts';
import { bodyReader, deferBodies } from './read-body.ts';
import { formLimit } from './read-form.ts';
import { inputReader } from './read-input.ts';
import { logSlowRequest } from './slow-request.ts';
import { mountSockets } from './sockets.ts';
import { traceRequests } from './trace-requests.ts';
import { routeUpgrades } from './upgrades.ts';
import { WrongMethods } from './wrong-method.ts';

declare module 'fastify' {
  interface FastifyRequest {
    exchange: Exchange | undefined;
  }
  interface FastifyContextConfig {
    route?: Route;
  }
}

/** Creates the HTTP server with the routes of all actions. It does not listen yet. */
export async function createHttpServer(kernel: Kernel): Promise<FastifyInstance> {
  const { config, log, directory, forwarder } = kernel;
  const app = createApp(config, log);
  const handlePreflight = corsPolicy(config);
  const findGate = gateFinder(kernel);
  const wrongMethods = new WrongMethods(kernel.actions);
  const upgrades = routeUpgrades(app);
  const forward = forwardStep(app, {
    directory,
    forwarder,
    upgrades,
    choose: (named) => (named === config.ringName ? undefined : named),
    isLimited: (request) => isNetworkLimited(kernel, request),
  });
  traceRequests(app, kernel.tracer);
  app.addHook('onRequest', (request, reply, done) => {
    if (!handlePreflight(request, reply)) forward(request, reply, done);
  });
  app.addHook('onRequest', (request, reply, done) => {
    const { method, is404 } = request;
    if (!is404) return done();
    const [path = ''] = request.url.split('?');
    const wrongMethod = wrongMethods.findFailure(method, path);
    const reject = () =>
      rejectUnrouted(
        { kernel, gate: findGate(path), request, reply },
        wrongMethod ?? fail('http.not_found', { method, path }),
      );
    const isConsole = !wrongMethod && isForConsole(kernel, request, path);
    const sent = isConsole ? sendConsole(kernel, request, reply, path) : Promise.resolve(false);
    sent.then((isSent) => isSent || reject()).catch(done);
  });
  await mountSockets(app, kernel, upgrades);
  app.addHook('preClose', async () => kernel.eventLog.stop());
  // After the sockets: clients are asked to reconnect when a stop begins.
  stopGracefully(app);
  deferBodies(app);
  app.setSerializerCompiler(({ schema }) => responseSerializer(schema as TSchema));
  app.addHook('onResponse', (request, reply, done) => {
    logRequest(kernel, request, reply);
    logSlowRequest(kernel, request, reply);
    done();
  });
  const metrics = new HttpMetrics(app, kernel);
  mountRoutes(app, kernel, findGate);
  for (const { url, rejected, findFailure } of wrongMethods.shadowed()) {
    // Rejected before the body is read: a wrong method takes precedence over an invalid body.
    const reject = (request: FastifyRequest, reply: FastifyReply) =>
      rejectUnrouted({ kernel, gate: findGate(url), request, reply }, findFailure(request.method));
    app.route({ method: rejected, url, onRequest: reject, handler: reject });
  }
  mountApiReference(app, kernel);
  metrics.mount();
  return app;
}

interface Unrouted {
  readonly kernel: Kernel;
  readonly gate: Gate | undefined;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Refuses a request that reaches no action, before its body is read. */
async function rejectUnrouted({ kernel, gate, request, reply }: Unrouted, failure: Failure): Promise<never> {
  limitAnonymous(kernel, request, reply);
  await gate?.(request);
  throw failure;
}

function mountRoutes(app: FastifyInstance, kernel: Kernel, findGate: (path: string) => Gate | undefined): void {
  for (const action of kernel.actions) {
    const { method, path } = action;
    if (!method) continue;
    const upload = uploadField(action.input?.properties);
    const deprecation = deprecationHeaders(action);
    const route: Route = {
      action,
      hasUpload: upload !== undefined,
      readBody: bodyReader(app, action),
      readInput: inputReader(action),
      gate: findGate(path),
      hasEtag: hasEtag(action),
      bodyLimit: upload ? formLimit(upload.maxBytes) : (action.bodyLimit ?? kernel.config.bodyLimitBytes),
    };
    app.route({
      method,
      url: path,
      config: { route },
      ...serializerSchema(action),
      handler: (request, reply) => {
        reply.headers(deprecation);
        if (!action.root) negotiateVersion(request, reply);
        request.exchange = new Exchange(kernel, request, reply, route);
        return handleRequest(request.exchange);
      },
    });
  }
}

function serializerSchema(action: RegisteredAction) {
  const schema = responseSchema(action);
  return schema ? { schema: { response: { '2xx': schema } } } : {};
}
