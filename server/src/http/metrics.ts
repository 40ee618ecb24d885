import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Registry } from 'prom-client';
import { fail } from '../errors.ts';
import type { Kernel } from '../kernel.ts';
import { checkMetricsAccess } from '../metrics/access.ts';
import { createRegistry, printMetrics } from '../metrics/registry.ts';
import { limitAnonymous } from './rate-limit.ts';
import { RequestTimes } from './request-times.ts';

/** Metrics of this process for Prometheus, at `/metrics`. No label identifies a tenant. */
export class HttpMetrics {
  readonly #app: FastifyInstance;
  readonly #kernel: Kernel;
  readonly #registry: Registry;

  constructor(app: FastifyInstance, kernel: Kernel) {
    this.#app = app;
    this.#kernel = kernel;
    this.#registry = createRegistry(kernel);
    this.#measureRequests();
    this.#sampleFigures();
  }

  mount(): void {
    this.#app.get('/metrics', async (request, reply) => {
      limitAnonymous(this.#kernel, request, reply);
      this.#authorize(request);
      const { type, text } = await printMetrics(this.#registry);
      return reply.type(type).send(text);
    });
  }

  #measureRequests(): void {
    const times = new RequestTimes();
    const { figures } = this.#kernel;
    this.#registry.registerMetric(times as never);
    this.#app.addHook('onResponse', (request, reply, done) => {
      // `routeOptions` creates a new object on every access.
      const route = request.exchange?.route.action.path ?? request.routeOptions.url ?? 'unknown';
      times.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1_000);
      figures.count(reply.statusCode, reply.elapsedTime);
      done();
    });
  }

  #sampleFigures(): void {
    const { budget, figures, realtime } = this.#kernel;
    figures.start(() => {
      const { open, idle, waiting } = budget.counts();
      return { busy_connections: open - idle, waiting, sockets: realtime.sockets.total };
    });
  }

  #authorize(request: FastifyRequest): void {
    const access = checkMetricsAccess(this.#kernel.config, request);
    if (access === 'unauthenticated')
      throw fail('auth.unauthenticated', {}, { headers: { 'WWW-Authenticate': 'Bearer' } });
    if (access === 'forbidden') throw fail('auth.forbidden', { permission: 'to read metrics: set METRICS_TOKEN' });
  }
}
