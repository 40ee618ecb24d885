import { Counter, Gauge, type Registry } from 'prom-client';
import type { Kernel } from '../kernel.ts';

/** What this process holds, and the jobs that it has performed. */
export function measureProcess(registry: Registry, { budget, directory, feed, jobs, realtime }: Kernel): void {
  const registers = [registry];
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
  new Counter({
    name: 'chowk_jobs_total',
    help: 'Tasks that this process has performed, by job and outcome. A failed one may be tried again.',
    labelNames: ['name', 'outcome'],
    registers,
    collect() {
      this.reset();
      for (const { job, outcome, count } of jobs.counts.list()) this.inc({ name: job, outcome }, count);
    },
  });
  new Counter({
    name: 'chowk_job_seconds_total',
    help: 'How long the tasks that this process has performed took, by job and outcome.',
    labelNames: ['name', 'outcome'],
    registers,
    collect() {
      this.reset();
      for (const { job, outcome, seconds } of jobs.counts.list()) this.inc({ name: job, outcome }, seconds);
    },
  });
}
