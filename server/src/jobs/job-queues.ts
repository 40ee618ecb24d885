import { type Db, type Log, sql, type TSchema } from '@chowk/kit';
import { type Db as BossDatabase, type JobResult, type JobWithMetadata, PgBoss } from 'pg-boss';

/** One run of a job, as it waits in a queue. */
export interface Task {
  readonly job: string;
  /** Empty for a system job, and for a scheduled task that becomes one task for each tenant. */
  readonly tenant: string;
  /** The user who added it; absent if the platform did. */
  readonly userId?: number | undefined;
  readonly data: unknown;
  readonly requestId: string;
}

export interface JobHandler {
  readonly queue: string;
  /** Seconds to wait before each retry. */
  readonly retries: readonly number[];
  /** Runs for the platform and not for a tenant. */
  readonly system?: boolean;
  /** The module that declares the job; `undefined` is the kernel. */
  readonly module?: string | undefined;
  /** Absent for a job that only the kernel can add. */
  readonly data?: TSchema;
  /** Settles with the value that the job returns. */
  perform(task: Task): Promise<unknown>;
}

export interface AddOptions {
  readonly id?: string;
  readonly delaySeconds?: number;
  /** In an ordered queue, tasks with the same key run one after the other. */
  readonly orderKey?: string;
}

export interface JobSummary {
  readonly id: string;
  readonly queue: string;
  readonly job: string;
  readonly tenant: string;
  readonly state: string;
  readonly tries: number;
  readonly error: string | null;
  readonly created_at: string;
}

/** For jobs without `retries`. In seconds. */
export const defaultRetries: readonly number[] = [5, 30, 120, 600];

/** Tasks whose last retry has failed wait here for an operator. */
const deadQueue = 'dead';
/** Queues whose tasks run in order for each key. */
const orderedQueues = new Set(['events']);
/** The task of a worker without a heartbeat for this long goes to another worker. The minimum of pg-boss. */
const heartbeatSeconds = 10;
const workersPerQueue = 4;
/** Events are delivered quickly; fetching and completing a batch costs as much as one task. */
const eventBatchSize = 20;
const polling = { pollingIntervalSeconds: 2, notifyPollingIntervalSeconds: 2 } as const;

/** Named job queues in the central database, on pg-boss. */
export class JobQueues {
  readonly #boss: PgBoss;
  readonly #central: Db;
  readonly #handlers: ReadonlyMap<string, JobHandler>;
  readonly #schedules: ReadonlyMap<string, string>;
  readonly #log: Log;
  #started: Promise<void> | undefined;

  constructor(options: {
    database: BossDatabase;
    central: Db;
    handlers: ReadonlyMap<string, JobHandler>;
    /** Cron expressions by job. */
    schedules: ReadonlyMap<string, string>;
    log: Log;
  }) {
    this.#central = options.central;
    this.#handlers = options.handlers;
    this.#schedules = options.schedules;
    this.#log = options.log;
    this.#boss = new PgBoss({
      db: options.database,
      useListenNotify: true,
      superviseIntervalSeconds: 3,
      monitorIntervalSeconds: 3,
      maintenanceIntervalSeconds: 300,
    });
    this.#boss.on('error', (err) => this.#log.warn({ err }, `the job queue reports an error: ${err.message}`));
    this.#boss.on('warning', ({ message }) => this.#log.debug({}, message));
  }

  get names(): string[] {
    return [...new Set([...this.#handlers.values()].map(({ queue }) => queue))].sort();
  }

  /** Throws if no module has the job. */
  handlerOf(job: string): JobHandler {
    const handler = this.#handlers.get(job);
    if (!handler) throw new Error(`there is no job ${job}; the jobs are ${this.#jobNames().join(', ')}`);
    return handler;
  }

  isSystemJob(job: string): boolean {
    return this.handlerOf(job).system ?? false;
  }

  async add(task: Task, options: AddOptions = {}): Promise<void> {
    await this.addAll([{ task, options }]);
  }

  /** Adds tasks in order. A task whose id exists already is not added again. */
  async addAll(entries: readonly { task: Task; options: AddOptions }[]): Promise<void> {
    await this.start();
    const byQueue = Map.groupBy(entries, ({ task }) => this.handlerOf(task.job).queue);
    for (const [queue, batch] of byQueue) {
      await this.#boss.insert(
        queue,
        batch.map(({ task, options: { id, delaySeconds, orderKey } }) => ({
          data: task,
          retryLimit: this.handlerOf(task.job).retries.length,
          ...(id === undefined ? {} : { id }),
          ...(delaySeconds === undefined ? {} : { startAfter: delaySeconds }),
          ...(orderKey === undefined ? {} : { singletonKey: orderKey }),
        })),
      );
    }
  }

  /** Creates the queues and the schedules. The first `add` does it as well. */
  start(): Promise<void> {
    this.#started ??= this.#open();
    return this.#started;
  }

  /** Starts workers, which run until `stop`. */
  async work(queues: readonly string[] = this.names): Promise<void> {
    await this.start();
    await Promise.all(
      queues.flatMap((queue) => Array.from({ length: workersPerQueue }, () => this.#startWorker(queue))),
    );
  }

  /** Waits up to this many seconds for running tasks; the others go back to their queues. */
  async stop(seconds: number): Promise<void> {
    if (!this.#started) return;
    await this.#started.catch(() => {});
    await this.#boss.stop({ graceful: true, timeout: seconds * 1_000, close: false });
  }

  list(): Promise<JobSummary[]> {
    return this.#central.rows<JobSummary>(sql`
      SELECT id, name AS queue, data->>'job' AS job, data->>'tenant' AS tenant, state::text AS state,
        retry_count + 1 AS tries, coalesce(data->>'error', output->>'message') AS error, created_on AS created_at
      FROM pgboss.job WHERE name = ANY(${[...this.names, deadQueue]}::text[]) AND state IN ('created', 'retry', 'active')
      ORDER BY created_on LIMIT 500`);
  }

  /** Moves the dead task with this id, or all of them, back to their queues and returns the count. */
  async retryDead(id?: string): Promise<number> {
    await this.start();
    const dead = await this.#boss.findJobs<Task & { orderKey?: string }>(deadQueue, {
      queued: true,
      ...(id ? { id } : {}),
    });
    for (const { id: deadId, data } of dead) {
      const { orderKey, job, tenant, userId, data: payload, requestId } = data;
      await this.add({ job, tenant, userId, data: payload, requestId }, orderKey === undefined ? {} : { orderKey });
      await this.#boss.deleteJob(deadQueue, deadId);
    }
    return dead.length;
  }

  /** One worker. It fetches when notified of a new task, after each batch, and when polling for delayed tasks. */
  async #startWorker(queue: string): Promise<void> {
    const batchSize = orderedQueues.has(queue) ? eventBatchSize : 1;
    const options = { ...polling, batchSize, includeMetadata: true, perJobResults: true } as const;
    const worker = await this.#boss.work<Task, JobResult[], typeof options>(queue, options, (jobs) => {
      this.#boss.notifyWorker(worker);
      return Promise.all(jobs.map((job) => this.#settle(queue, job)));
    });
  }

  /** The tasks of a batch succeed or fail independently. */
  async #settle(queue: string, job: JobWithMetadata<Task>): Promise<JobResult> {
    try {
      await this.#perform(queue, job);
      return { id: job.id, status: 'completed' };
    } catch (error) {
      return { id: job.id, status: 'failed', output: { message: (error as Error).message } };
    }
  }

  #jobNames(): string[] {
    return [...this.#handlers].filter(([, { data }]) => data).map(([name]) => name);
  }

  async #open(): Promise<void> {
    await this.#boss.start();
    await this.#boss.createQueue(deadQueue, { retentionSeconds: 90 * 86_400 });
    for (const queue of this.names) {
      const policy = orderedQueues.has(queue) ? 'key_strict_fifo' : 'standard';
      await this.#boss.createQueue(queue, { policy, notify: true, heartbeatSeconds, deleteAfterSeconds: 86_400 });
    }
    for (const [job, cron] of this.#schedules) {
      const { queue } = this.handlerOf(job);
      await this.#boss.schedule(queue, cron, { job, tenant: '', data: {}, requestId: 'schedule' }, { key: job });
    }
  }

  async #perform(queue: string, { id, data: task, retryCount, singletonKey }: JobWithMetadata<Task>): Promise<void> {
    const handler = this.#handlers.get(task.job);
    if (!handler) {
      this.#log.warn({ job: task.job }, 'dropped a task: no module has its job');
      return;
    }
    try {
      await handler.perform(task);
    } catch (error) {
      const details = { err: error, job: task.job, tenant: task.tenant, tries: retryCount + 1 };
      const delay = handler.retries[retryCount];
      if (delay === undefined) {
        // Completed in its queue, so that the tasks behind it with the same key can run.
        this.#log.error(details, 'a task failed its last retry; see chowkd jobs:list');
        await this.#boss.send(deadQueue, {
          ...task,
          error: (error as Error).message,
          orderKey: singletonKey ?? undefined,
        });
        return;
      }
      this.#log.warn(details, `a task failed; next attempt in ${delay} seconds`);
      await this.#central.run(sql`UPDATE pgboss.job SET retry_delay = ${delay} WHERE name = ${queue} AND id = ${id}`);
      throw error;
    }
  }
}
