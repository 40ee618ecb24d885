import { type Db, type Log, sql } from '@chowk/kit';
import { type Db as BossDatabase, type JobResult, type JobWithMetadata, PgBoss } from 'pg-boss';

/** A job as it waits in a queue. */
export interface Task {
  readonly job: string;
  readonly tenant: string;
  /** Who asked for it; absent where the platform did. */
  readonly userId?: number | undefined;
  readonly data: unknown;
  readonly requestId: string;
}

export interface JobHandler {
  readonly queue: string;
  /** Seconds before each further try. */
  readonly retries: readonly number[];
  /** Done for no tenant. */
  readonly system?: boolean;
  perform(task: Task): Promise<void>;
}

export interface AddOptions {
  readonly id?: string;
  readonly delaySeconds?: number;
  /** In a queue that keeps order: tasks with the same key are done one after the other. */
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

/** Tasks that failed for good wait here for an operator. */
const deadQueue = 'dead';
/** Queues whose tasks are done in order, key by key. */
const orderedQueues = new Set(['events']);
/** A worker that is silent for this long is dead and its task goes to another. pg-boss takes no less. */
const heartbeatSeconds = 10;
const tasksAtOnce = 4;
/** Telling an event is quick: so many are taken and reported together, which costs as much as one. */
const quickTasks = 20;
const looking = { pollingIntervalSeconds: 2, notifyPollingIntervalSeconds: 2 } as const;

/** Named queues of background work in the central database, on pg-boss. */
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
    /** Job name to cron expression: done for every tenant that has the module. */
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
    this.#boss.on('error', ({ message }) => this.#log.warn({}, `the job queue is in trouble: ${message}`));
    this.#boss.on('warning', ({ message }) => this.#log.debug({}, message));
  }

  get names(): string[] {
    return [...new Set([...this.#handlers.values()].map(({ queue }) => queue))].sort();
  }

  isSystemJob(job: string): boolean {
    return this.#handlerOf(job).system ?? false;
  }

  async add(task: Task, options: AddOptions = {}): Promise<void> {
    await this.addAll([{ task, options }]);
  }

  /** Adds tasks in order. One whose id is known already is not added again. */
  async addAll(entries: readonly { task: Task; options: AddOptions }[]): Promise<void> {
    await this.start();
    const byQueue = Map.groupBy(entries, ({ task }) => this.#handlerOf(task.job).queue);
    for (const [queue, batch] of byQueue) {
      await this.#boss.insert(
        queue,
        batch.map(({ task, options: { id, delaySeconds, orderKey } }) => ({
          data: task,
          retryLimit: this.#handlerOf(task.job).retries.length,
          ...(id === undefined ? {} : { id }),
          ...(delaySeconds === undefined ? {} : { startAfter: delaySeconds }),
          ...(orderKey === undefined ? {} : { singletonKey: orderKey }),
        })),
      );
    }
  }

  /** Makes the queues ready to take tasks and plans what is done regularly; the first `add` does it by itself. */
  start(): Promise<void> {
    this.#started ??= this.#open();
    return this.#started;
  }

  /** Does the tasks of the given queues, or of all, until `stop`. */
  async work(queues: readonly string[] = this.names): Promise<void> {
    await this.start();
    await Promise.all(queues.flatMap((queue) => Array.from({ length: tasksAtOnce }, () => this.#employ(queue))));
  }

  /** Lets the tasks under way finish, for so long; what is not done by then goes back to its queue. */
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

  /** Puts tasks that failed for good back into their queues: the one with this id, or all. Says how many. */
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

  /** One worker: woken by a new task, looking again after each it has done, and now and then for one that is due. */
  async #employ(queue: string): Promise<void> {
    const batchSize = orderedQueues.has(queue) ? quickTasks : 1;
    const options = { ...looking, batchSize, includeMetadata: true, perJobResults: true } as const;
    const worker = await this.#boss.work<Task, JobResult[], typeof options>(queue, options, (jobs) => {
      this.#boss.notifyWorker(worker);
      return Promise.all(jobs.map((job) => this.#settle(queue, job)));
    });
  }

  /** Each of a batch succeeds or fails on its own. */
  async #settle(queue: string, job: JobWithMetadata<Task>): Promise<JobResult> {
    try {
      await this.#perform(queue, job);
      return { id: job.id, status: 'completed' };
    } catch (error) {
      return { id: job.id, status: 'failed', output: { message: (error as Error).message } };
    }
  }

  #handlerOf(job: string): JobHandler {
    const handler = this.#handlers.get(job);
    if (!handler) throw new Error(`there is no job ${job}`);
    return handler;
  }

  async #open(): Promise<void> {
    await this.#boss.start();
    await this.#boss.createQueue(deadQueue, { retentionSeconds: 90 * 86_400 });
    for (const queue of this.names) {
      const policy = orderedQueues.has(queue) ? 'key_strict_fifo' : 'standard';
      await this.#boss.createQueue(queue, { policy, notify: true, heartbeatSeconds, deleteAfterSeconds: 86_400 });
    }
    for (const [job, cron] of this.#schedules) {
      const { queue } = this.#handlerOf(job);
      await this.#boss.schedule(queue, cron, { job, tenant: '', data: {}, requestId: 'schedule' }, { key: job });
    }
  }

  async #perform(queue: string, { id, data: task, retryCount, singletonKey }: JobWithMetadata<Task>): Promise<void> {
    const handler = this.#handlers.get(task.job);
    if (!handler) {
      this.#log.warn({ job: task.job }, 'dropped a task of a job that no module has');
      return;
    }
    try {
      await handler.perform(task);
    } catch (error) {
      const details = { err: error, job: task.job, tenant: task.tenant, tries: retryCount + 1 };
      const delay = handler.retries[retryCount];
      if (delay === undefined) {
        // Completed here, so that it holds back nothing that waits behind it; kept there, for an operator to look at.
        this.#log.error(details, 'a task failed for good; see chowkd jobs:list');
        await this.#boss.send(deadQueue, {
          ...task,
          error: (error as Error).message,
          orderKey: singletonKey ?? undefined,
        });
        return;
      }
      this.#log.warn(details, `a task failed; next try in ${delay} seconds`);
      await this.#central.run(sql`UPDATE pgboss.job SET retry_delay = ${delay} WHERE name = ${queue} AND id = ${id}`);
      throw error;
    }
  }
}
