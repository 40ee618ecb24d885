import type { FastifyInstance } from 'fastify';
import type { Span } from '../tracing/span.ts';
import type { Tracer } from '../tracing/tracer.ts';

declare module 'fastify' {
  interface FastifyRequest {
    span: Span | undefined;
  }
}

/** A trace for each request: its actions and its SQL are parts of it. Addresses and bodies are not recorded. */
export function traceRequests(app: FastifyInstance, tracer: Tracer | undefined): void {
  if (!tracer) return;
  app.decorateRequest('span', undefined);
  app.addHook('onRequest', (request, _reply, done) => {
    const { method, headers, id } = request;
    const attributes = { 'http.request.method': method, 'chowk.request_id': id };
    request.span = tracer.begin(method, 'server', attributes, headers.traceparent);
    if (request.span) request.span.run(done);
    else done();
  });
  app.addHook('onResponse', ({ span, exchange, method, routeOptions }, { statusCode }, done) => {
    const route = exchange?.action.path ?? routeOptions.url;
    span?.end(
      statusCode >= 500 ? `status ${statusCode}` : undefined,
      {
        'http.route': route,
        'http.response.status_code': statusCode,
        'chowk.tenant': exchange?.tenant?.id,
        'chowk.user': exchange?.caller?.id,
      },
      route === undefined ? method : `${method} ${route}`,
    );
    done();
  });
}
