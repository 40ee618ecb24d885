import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { fail } from '../errors.ts';
import type { Kernel } from '../kernel.ts';
import { isLocalRequest } from '../network.ts';
import { limitAnonymous } from './rate-limit.ts';
import { RequestTimes } from './request-times.ts';

let registryOfProcess: Registry | undefined;

/** Metrics of the process itself, collected once: the collectors run until the process ends. */
function processMetrics(): Registry {
  if (!registryOfProcess) {
    registryOfProcess = new Registry();
    collectDefaultMetrics({ register: registryOfProcess });
  }
  return registryOfProcess;
}

/** Metrics of this process for Prometheus, at `/metrics`. No label identifies a tenant. */
export class HttpMetrics {
  readonly #app: FastifyInstance;
  readonly #kernel: Kernel;
  readonly #registry = new Registry();

  constructor(app: FastifyInstance, kernel: Kernel) {
    this.#app = app;
    this.#kernel = kernel;
    processMetrics();
    this.#measureRequests();
    this.#measureResources();
  }

  mount(): void {
    this.#app.get('/metrics', async (request, reply) => {
      limitAnonymous(this.#kernel, request, reply);
      this.#authorize(request);
      const registry = Registry.merge([processMetrics(), this.#registry]);
      return reply.type(registry.contentType).send(await registry.metrics());
    });
  }

  #measureRequests(): void {
    const times = new RequestTimes();
    this.#registry.registerMetric(times as never);
    this.#app.addHook('onResponse', (request, reply, done) => {
      // `routeOptions` creates a new object on every access.
      const route = request.exchange?.route.action.path ?? request.routeOptions.url ?? 'unknown';
      times.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1_000);
      done();
    });
  }

  #measureResources(): void {
    const { budget, directory, feed, realtime } = this.#kernel;
    const registers = [this.#registry];
    new Gauge({
      name: 'chowk_database_connections',
      help: 'Connections of this process to PostgreSQL, and callers that wait for one.',
      labelNames: ['state'],
      registers,
      collect() {
        const { open, idle, waiting } = budget.counts();
        this.set({ state: 'busy' }, open - idle);
        this.set({ state: 'idle' }, idle);
        this.set({ state: 'waiting' }, waiting);
      },
    });
    new Gauge({
      name: 'chowk_known_tenants',
      help: 'Labels of tenants in the cache of this process.',
      registers,
      collect() {
        this.set(directory.size);
      },
    });
    new Gauge({
      name: 'chowk_realtime_connections',
      help: 'Open sockets of this process.',
      registers,
      collect() {
        this.set(realtime.sockets.total);
      },
    });
    new Gauge({
      name: 'chowk_graphql_subscriptions',
      help: 'GraphQL subscriptions of this process.',
      registers,
      collect() {
        this.set(feed.subscribers);
      },
    });
  }

  /** Requires METRICS_TOKEN if it is set, otherwise a request from this machine. */
  #authorize(request: FastifyRequest): void {
    const { metricsToken } = this.#kernel.config;
    if (metricsToken !== undefined) {
      if (isEqual(request.headers.authorization ?? '', `Bearer ${metricsToken}`)) return;
      throw fail('auth.unauthenticated', {}, { headers: { 'WWW-Authenticate': 'Bearer' } });
    }
    if (isLocalRequest(request)) return;
    throw fail('auth.forbidden', { permission: 'to read metrics: set METRICS_TOKEN' });
  }
}

function isEqual(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
