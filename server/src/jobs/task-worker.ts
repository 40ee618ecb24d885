import { type Db, Failure, type Log, sql } from '@chowk/kit/kernel';
import type { JobResult, JobWithMetadata, PgBoss } from 'pg-boss';
import { isConnectError } from '../db/connection.ts';
import { errorLocation } from '../error-location.ts';
import { getValidator } from '../schemas/validation.ts';
import type { Tracer } from '../tracing/tracer.ts';
import { JobCounts, type JobOutcome } from './job-counts.ts';
import type { RingQueues, TenantState } from './ring-queues.ts';
import { defaultRetries, type JobHandler, type Task } from './task.ts';

export interface TaskWorkerOptions {
  readonly boss: PgBoss;
  readonly central: Db;
  readonly queues: RingQueues;
  readonly handlers: ReadonlyMap<string, JobHandler>;
  readonly find: (tenantId: string) => Promise<TenantState | undefined>;
  readonly addDead: (task: Task, queue: string, error: string, id: string) => Promise<void>;
  readonly tracer?: Tracer | undefined;
  readonly log: Log;
}

const workersPerQueue = 4;
/** Each of them performs many tasks at once, and asks for more whenever one is added. */
const workersForBatches = 2;
/** One tenant must not occupy all workers of a queue. */
const workersPerTenant = workersPerQueue / 2;
const maxBatchSize = 100;
/** How long a task that cannot be performed now waits before the next attempt. */
const postponedSeconds = 30;
/** How often the queues are asked for delayed tasks. */
const pollSeconds = 2;
// While the workers are notified of new tasks, one statement asks for the delayed ones of all queues, and no worker polls.
const polling = { pollingIntervalSeconds: pollSeconds, notifyPollingIntervalSeconds: 60 } as const;

/** Performs the tasks of the queues of this ring. */
export class TaskWorker {
  readonly #options: TaskWorkerOptions;
  /** The ids of the workers by queue. */
  readonly #workers = new Map<string, readonly string[]>();
  readonly counts = new JobCounts();
  #timer: NodeJS.Timeout | undefined;
  #isPolling = false;

  constructor(options: TaskWorkerOptions) {
    this.#options = options;
  }

  /** Starts the workers of a queue. They fetch when notified of a new task, after each task, and when polling for delayed tasks. */
  async start(name: string): Promise<void> {
    const { boss, handlers, queues } = this.#options;
    const queue = queues.own(name);
    const own = [...handlers.values()].filter((handler) => handler.queue === name);
    const batchSize = own.reduce((size, handler) => Math.min(size, handler.batchSize ?? 1), maxBatchSize);
    const options = {
      ...polling,
      batchSize,
      localConcurrency: batchSize === 1 ? workersPerQueue : workersForBatches,
      // The tasks of a batch are short. A limit would hand most of a batch of one tenant back.
      ...(batchSize === 1 ? { localGroupConcurrency: workersPerTenant } : {}),
      includeMetadata: true,
      perJobResults: true,
    } as const;
    await boss.work<Task, JobResult[], typeof options>(queue, options, (jobs) => {
      // A batch that is not full has left nothing for the others.
      if (jobs.length === batchSize) this.#notify(queue);
      return Promise.all(jobs.map((job) => this.#settle(name, job)));
    });
    const workers = boss.getWipData().flatMap((worker) => (worker.name === queue ? [worker.id] : []));
    this.#workers.set(queue, workers);
    this.#timer ??= setInterval(() => this.#poll(), pollSeconds * 1_000).unref();
  }

  /** Ends the polling; the workers end with the queue. */
  stop(): void {
    clearInterval(this.#timer);
  }

  /** Notifies the workers of the queues that have tasks to start now. */
  async #poll(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    try {
      const queues = await findDueQueues(this.#options.central, [...this.#workers.keys()]);
      for (const queue of queues) this.#notify(queue);
    } catch (err) {
      this.#options.log.debug({ err }, 'the queues could not be asked for delayed tasks');
    } finally {
      this.#isPolling = false;
    }
  }

  #notify(queue: string): void {
    for (const id of this.#workers.get(queue) ?? []) this.#options.boss.notifyWorker(id);
  }

  async #settle(name: string, job: JobWithMetadata<Task>): Promise<JobResult> {
    const startedAt = performance.now();
    const count = (outcome: JobOutcome) =>
      this.counts.add(job.data.job, outcome, (performance.now() - startedAt) / 1_000);
    try {
      await this.#perform(name, job);
      count('completed');
      return { id: job.id, status: 'completed' };
    } catch (error) {
      count('failed');
      return { id: job.id, status: 'failed', output: { message: (error as Error).message } };
    }
  }

  async #perform(name: string, { id, data: task, retryCount }: JobWithMetadata<Task>): Promise<void> {
    const { queues, handlers, find, log } = this.#options;
    const queue = queues.own(name);
    const handler = handlers.get(task.job);
    const target = await queues.queueFor(task, name);
    if (target !== queue) {
      // The tenant has been assigned to another ring. With its id, the task cannot be added there once more.
      const { retries } = handler ?? { retries: defaultRetries };
      await queues.move({ task, options: { id }, retryLimit: retries.length }, { queue, id }, target);
      return;
    }
    const isSuspended = task.tenant !== '' && (await find(task.tenant))?.isSuspended;
    const reason = isSuspended ? 'its tenant is suspended' : reasonToWait(handler, task);
    if (!handler || reason !== undefined) {
      log[isSuspended ? 'debug' : 'warn']({ job: task.job, queue }, `a task waits: ${reason}`);
      await this.#postpone(queue, id, reason);
      return;
    }
    const { tracer } = this.#options;
    const span = tracer?.begin(task.job, 'consumer', {
      'chowk.tenant': task.tenant || undefined,
      'chowk.request_id': task.requestId,
      'messaging.destination.name': name,
    });
    try {
      await (span ? span.run(() => handler.perform(task)) : handler.perform(task));
      span?.end();
    } catch (error) {
      span?.end(error);
      const { job, tenant } = task;
      const details = { err: error, job, tenant, at: errorLocation(error), tries: retryCount + 1 };
      if (task.tenant !== '' && isWaiting(error)) {
        log.warn(details, 'a task waits: the database of its tenant cannot be used now');
        await this.#postpone(queue, id, 'the database of its tenant cannot be used now');
        return;
      }
      const delay = handler.retries[retryCount];
      if (delay === undefined) {
        log.error(details, 'a task failed its last retry; see chowkd jobs:list');
        await this.#options.addDead(task, name, (error as Error).message, id);
        return;
      }
      log.warn(details, `a task failed; next attempt in ${delay} seconds`);
      await this.#delayRetry(queue, id, delay);
      throw error;
    }
  }

  async #delayRetry(queue: string, id: string, seconds: number): Promise<void> {
    await this.#options.central.run(sql`
      UPDATE pgboss.job SET retry_delay = ${seconds} WHERE name = ${queue} AND id = ${id}`);
  }

  /** Postpones a task until its tenant is resumed or a newer process takes it. Not counted as an attempt. */
  async #postpone(queue: string, id: string, reason: string | undefined): Promise<void> {
    // No longer active, so that completing it has no effect; without a start, so that fetching it counts no retry.
    await this.#options.central.run(sql`
      UPDATE pgboss.job SET state = 'created', started_on = NULL,
        start_after = now() + make_interval(secs => ${postponedSeconds}), keep_until = 'infinity',
        output = ${JSON.stringify({ message: `waits: ${reason}` })}::jsonb
      WHERE name = ${queue} AND id = ${id} AND state = 'active'`);
  }
}

async function findDueQueues(central: Db, queues: readonly string[]): Promise<string[]> {
  const rows = await central.rows<{ name: string }>(sql`
    SELECT name FROM unnest(${queues}::text[]) AS queue(name) WHERE EXISTS (
      SELECT FROM pgboss.job WHERE job.name = queue.name AND state < 'active' AND NOT blocked AND start_after <= now())`);
  return rows.map(({ name }) => name);
}

/** Why this process cannot perform the task: another version of its module has added it, with data that this one cannot read. */
function reasonToWait(handler: JobHandler | undefined, { data, version }: Task): string | undefined {
  if (!handler) return 'no module of this process has its job';
  const isOther = version !== undefined && version !== handler.version;
  if (!isOther || !handler.data || !getValidator(handler.data)(structuredClone(data))) return undefined;
  return `${handler.module} ${handler.version} cannot read the data of ${version}`;
}

/** Whether the server of the tenant is down, or the tenant is being moved to another one. */
function isWaiting(error: unknown): boolean {
  return isConnectError(error) || (error instanceof Failure && error.code === 'tenancy.moving');
}
