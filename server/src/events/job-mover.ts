import type { JobQueues } from '../jobs/job-queues.ts';
import type { Task } from '../jobs/task.ts';
import type { TenantEntry } from '../tenancy/directory.ts';
import { type AddedJob, deleteAddedJobs } from './outbox.ts';

interface TenantJob extends AddedJob<Task> {
  readonly tenant: TenantEntry;
}

const maxMovedAtOnce = 500;

/**
 * Moves jobs that committed transactions have added to their queues. Concurrent calls share statements: in the central
 * database only one transaction at a time can commit a notification.
 */
export class JobMover {
  readonly #jobs: () => JobQueues;
  readonly #added: TenantJob[] = [];
  #moving: Promise<void> | undefined;

  constructor(jobs: () => JobQueues) {
    this.#jobs = jobs;
  }

  async move(tenant: TenantEntry, jobs: readonly AddedJob<Task>[]): Promise<void> {
    if (jobs.length === 0) return;
    this.#added.push(...jobs.map((job) => ({ tenant, ...job })));
    this.#moving ??= this.#moveAdded();
    await this.#moving;
  }

  /** Waits for the jobs that are being moved. */
  async close(): Promise<void> {
    await this.#moving;
  }

  /** Clears `#moving` in the same turn in which it last reads `#added`, so that no job is added in between. */
  async #moveAdded(): Promise<void> {
    try {
      while (this.#added.length > 0) await this.#moveBatch(this.#added.splice(0, maxMovedAtOnce));
    } finally {
      this.#moving = undefined;
    }
  }

  async #moveBatch(batch: readonly TenantJob[]): Promise<void> {
    await this.#jobs().addAll(
      batch.map(({ id, task, startAt }) => ({
        task,
        options: { id, ...(startAt === null ? {} : { startAt: new Date(startAt) }) },
      })),
    );
    // A job that stays here is added again by the next sweep; its id keeps it from running twice.
    const byTenant = [...Map.groupBy(batch, ({ tenant }) => tenant)];
    await Promise.allSettled(
      byTenant.map(([{ db }, jobs]) =>
        deleteAddedJobs(
          db,
          jobs.map(({ id }) => id),
        ),
      ),
    );
  }
}
