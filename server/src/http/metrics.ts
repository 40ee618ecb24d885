import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { fail } from '../errors.ts';
import type { Kernel } from '../kernel.ts';

/** What Prometheus can know about this process, at `/metrics`. No label ever names a tenant. */
export class HttpMetrics {
  readonly #app: FastifyInstance;
  readonly #kernel: Kernel;
  readonly #registry = new Registry();

  constructor(app: FastifyInstance, kernel: Kernel) {
    this.#app = app;
    this.#kernel = kernel;
    collectDefaultMetrics({ register: this.#registry });
    this.#measureRequests();
    this.#measureDatabase();
  }

  mount(): void {
    this.#app.get('/metrics', async (request, reply) => {
      this.#admit(request);
      return reply.type(this.#registry.contentType).send(await this.#registry.metrics());
    });
  }

  #measureRequests(): void {
    const seconds = new Histogram({
      name: 'chowk_http_request_seconds',
      help: 'How long requests took, by route.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers: [this.#registry],
    });
    this.#app.addHook('onResponse', (request, reply, done) => {
      // `routeOptions` makes a new record each time it is looked at.
      const route = request.exchange?.mounted.path ?? request.routeOptions.url ?? 'unknown';
      const status = `${Math.floor(reply.statusCode / 100)}xx`;
      seconds.observe({ method: request.method, route, status }, reply.elapsedTime / 1_000);
      done();
    });
  }

  #measureDatabase(): void {
    const { budget, directory } = this.#kernel;
    const registers = [this.#registry];
    new Gauge({
      name: 'chowk_database_connections',
      help: 'Connections of this process to PostgreSQL, and requests that wait for one.',
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
      help: 'Labels of tenants that this process has at hand.',
      registers,
      collect() {
        this.set(directory.size);
      },
    });
  }

  /** With a token, its bearer; without one, anyone outside production and only this machine in it. */
  #admit(request: FastifyRequest): void {
    const { metricsToken, appEnv } = this.#kernel.config;
    if (metricsToken !== undefined) {
      if (sameText(request.headers.authorization ?? '', `Bearer ${metricsToken}`)) return;
      throw fail('auth.unauthenticated', {}, { headers: { 'WWW-Authenticate': 'Bearer' } });
    }
    if (appEnv !== 'production' || isLocal(request)) return;
    throw fail('auth.forbidden', { permission: 'to read metrics: set METRICS_TOKEN' });
  }
}

/** A proxy on this machine speaks for the world, and says so. */
function isLocal({ socket, headers }: FastifyRequest): boolean {
  const forwarded = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined;
  return !forwarded && /^(127\.|::1$|::ffff:127\.)/.test(socket.remoteAddress ?? '');
}

function sameText(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
