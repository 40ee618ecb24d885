import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { fail } from '../errors.ts';
import type { Kernel } from '../kernel.ts';
import { RequestTimes } from './request-times.ts';

/** What Prometheus can know about this process, at `/metrics`. No label ever names a tenant. */
export class HttpMetrics {
  readonly #app: FastifyInstance;
  readonly #kernel: Kernel;
  readonly #registry = new Registry();
  readonly #times = new RequestTimes();

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
      return reply.type(this.#registry.contentType).send(`${await this.#registry.metrics()}\n${this.#times.text()}`);
    });
  }

  #measureRequests(): void {
    this.#app.addHook('onResponse', (request, reply, done) => {
      // `routeOptions` makes a new record each time it is looked at.
      const route = request.exchange?.route.action.path ?? request.routeOptions.url ?? 'unknown';
      this.#times.count(request.method, route, reply.statusCode, reply.elapsedTime / 1_000);
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
