import { type Db, sql } from '@chowk/kit/kernel';
import { Gauge, type Registry } from 'prom-client';
import type { QueueFigures } from '../jobs/job-queues.ts';
import type { Kernel } from '../kernel.ts';

/** Several readers of the metrics share one look at the queues. */
const keptMs = 10_000;

interface Backlog {
  readonly queues: readonly QueueFigures[];
  readonly undelivered: number;
}

/** The queues of all rings, from the central database. Left out while it cannot be read. */
export function measureQueues(registry: Registry, { central, jobs, log }: Kernel): void {
  let latest: { readonly at: number; readonly backlog: Promise<Backlog | undefined> } | undefined;
  const read = async (): Promise<Backlog | undefined> => {
    try {
      const [queues, undelivered] = await Promise.all([jobs.measure(), countUndelivered(central.db)]);
      return { queues, undelivered };
    } catch (err) {
      log.warn({ err }, 'the queues cannot be measured');
      return undefined;
    }
  };
  const backlog = () => {
    if (!latest || performance.now() - latest.at > keptMs) latest = { at: performance.now(), backlog: read() };
    return latest.backlog;
  };
  const registers = [registry];
  new Gauge({
    name: 'chowk_queue_tasks',
    help: 'Tasks of all processes by ring, queue and state: waiting (could start now), delayed or active.',
    labelNames: ['ring', 'queue', 'state'],
    registers,
    async collect() {
      this.reset();
      for (const { ring, queue, ...figures } of (await backlog())?.queues ?? []) {
        if (queue === 'dead') continue;
        for (const state of ['waiting', 'delayed', 'active'] as const) this.set({ ring, queue, state }, figures[state]);
      }
    },
  });
  new Gauge({
    name: 'chowk_queue_oldest_seconds',
    help: 'How long the oldest task that could start has waited, by ring and queue.',
    labelNames: ['ring', 'queue'],
    registers,
    async collect() {
      this.reset();
      for (const { ring, queue, oldest_seconds } of (await backlog())?.queues ?? []) {
        if (queue !== 'dead') this.set({ ring, queue }, oldest_seconds);
      }
    },
  });
  new Gauge({
    name: 'chowk_failed_tasks',
    help: 'Tasks whose last retry has failed: see chowkd jobs:list.',
    registers,
    async collect() {
      const dead = (await backlog())?.queues.find(({ queue }) => queue === 'dead');
      this.set((dead?.waiting ?? 0) + (dead?.delayed ?? 0));
    },
  });
  new Gauge({
    name: 'chowk_undelivered_tenants',
    help: 'Tenants with events that have waited for their delivery for more than ten minutes.',
    registers,
    async collect() {
      this.set((await backlog())?.undelivered ?? 0);
    },
  });
}

/** Tenants are listed while they have events, and for five minutes more. */
async function countUndelivered(db: Db): Promise<number> {
  const row = await db.row<{ tenants: number }>(sql`
    SELECT count(*)::int AS tenants FROM outbox_activity WHERE active_at < now() - interval '10 minutes'`);
  return row?.tenants ?? 0;
}
