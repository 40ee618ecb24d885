import { type Db, Failure, type Log, type Sql, sql, type TSchema } from '@chowk/kit';
import { type Db as BossDatabase, type JobResult, type JobWithMetadata, PgBoss } from 'pg-boss';
import { isConnectError } from '../db/connection.ts';

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
  /** How many tasks a worker takes at once. Default 1. */
  readonly batchSize?: number;
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
  readonly startAt?: Date;
}

export interface Entry {
  readonly task: Task;
  readonly options?: AddOptions;
}

export interface JobSummary {
  readonly id: string;
  readonly ring: string | null;
  readonly queue: string;
  readonly job: string;
  readonly tenant: string;
  readonly state: string;
  readonly tries: number;
  readonly error: string | null;
  readonly created_at: string;
}

/** What decides when and where a tenant's tasks are performed. */
interface TenantState {
  readonly ring: string;
  readonly isSuspended: boolean;
}

/** For jobs without `retries`. In seconds. */
export const defaultRetries: readonly number[] = [5, 30, 120, 600];

/** Tasks whose last retry has failed wait here for an operator. */
const deadQueue = 'dead';
/** The task of a worker without a heartbeat for this long goes to another worker. The minimum of pg-boss. */
const heartbeatSeconds = 10;
const workersPerQueue = 4;
const maxBatchSize = 100;
/** How long a task that cannot be performed now waits before it is looked at again. */
const postponedSeconds = 30;
const polling = { pollingIntervalSeconds: 2, notifyPollingIntervalSeconds: 2 } as const;

/**
 * Named job queues in the central database, on pg-boss. Each ring has its own: a task is performed by a process of its
 * tenant's ring, because other rings may not have its module, or another version.
 */
export class JobQueues {
  readonly #boss: PgBoss;
  readonly #central: Db;
  readonly #handlers: ReadonlyMap<string, JobHandler>;
  readonly #schedules: ReadonlyMap<string, string>;
  readonly #ring: string;
  readonly #find: (tenantId: string) => Promise<TenantState | undefined>;
  readonly #log: Log;
  readonly #knownQueues = new Map<string, Promise<void>>();
  #started: Promise<void> | undefined;

  constructor(options: {
    database: BossDatabase;
    central: Db;
    handlers: ReadonlyMap<string, JobHandler>;
    /** Cron expressions by job. */
    schedules: ReadonlyMap<string, string>;
    /** The ring of this process. */
    ring: string;
    find: (tenantId: string) => Promise<TenantState | undefined>;
    log: Log;
  }) {
    this.#central = options.central;
    this.#handlers = options.handlers;
    this.#schedules = options.schedules;
    this.#ring = options.ring;
    this.#find = options.find;
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

  /**
   * Adds tasks. A task whose id exists already is not added again. With `db`, a transaction on the central database, they
   * are added when it commits.
   */
  async addAll(entries: readonly Entry[], db?: Db): Promise<void> {
    await this.start();
    const waiting = await Promise.all(
      entries.map(async (entry) => {
        const { queue, retries } = this.handlerOf(entry.task.job);
        return { ...entry, queue: await this.#queueOf(entry.task, queue), retryLimit: retries.length };
      }),
    );
    for (const [queue, batch] of Map.groupBy(waiting, (entry) => entry.queue)) await this.#insert(queue, batch, db);
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

  /** Of all rings. */
  list(): Promise<JobSummary[]> {
    return this.#central.rows<JobSummary>(sql`
      SELECT id, substring(name from '^(.*)/') AS ring, substring(name from '[^/]*$') AS queue, data->>'job' AS job,
        data->>'tenant' AS tenant, state::text AS state, retry_count + 1 AS tries,
        coalesce(data->>'error', output->>'message') AS error, created_on AS created_at
      FROM pgboss.job WHERE (name LIKE '%/%' OR name = ${deadQueue}) AND state IN ('created', 'retry', 'active')
      ORDER BY created_on LIMIT 500`);
  }

  /** Deletes the tasks of a deleted tenant: another one may get its id. */
  async removeTenant(tenantId: string): Promise<void> {
    await this.start();
    await this.#central.run(sql`DELETE FROM pgboss.job WHERE data->>'tenant' = ${tenantId}`);
  }

  /** Puts a task aside for an operator. Its id keeps it from being added twice. */
  async addDead(task: Task, queue: string, error: string, id?: string): Promise<void> {
    await this.start();
    await this.#boss.insert(deadQueue, [{ data: { ...task, queue, error }, ...(id === undefined ? {} : { id }) }]);
  }

  /** Moves the dead task with this id, or all of them, back to their queues and returns the count. */
  async retryDead(id?: string): Promise<number> {
    await this.start();
    const dead = await this.#boss.findJobs<DeadTask>(deadQueue, { queued: true, ...(id ? { id } : {}) });
    for (const { id: deadId, data } of dead) {
      const { queue, error: _, ...task } = data;
      await this.#move(task, deadQueue, deadId, await this.#queueOf(task, queue));
    }
    return dead.length;
  }

  /** One worker. It fetches when notified of a new task, after each task, and when polling for delayed tasks. */
  async #startWorker(name: string): Promise<void> {
    const queue = queueName(this.#ring, name);
    const handlers = [...this.#handlers.values()].filter((handler) => handler.queue === name);
    const batchSize = handlers.reduce((size, handler) => Math.min(size, handler.batchSize ?? 1), maxBatchSize);
    const options = { ...polling, batchSize, includeMetadata: true, perJobResults: true } as const;
    const worker = await this.#boss.work<Task, JobResult[], typeof options>(queue, options, (jobs) => {
      this.#boss.notifyWorker(worker);
      return Promise.all(jobs.map((job) => this.#settle(queue, job)));
    });
  }

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
    for (const queue of this.names) await this.#ensureQueue(queueName(this.#ring, queue));
    for (const [job, cron] of this.#schedules) {
      const queue = queueName(this.#ring, this.handlerOf(job).queue);
      await this.#boss.schedule(queue, cron, { job, tenant: '', data: {}, requestId: 'schedule' }, { key: job });
    }
    await this.#endOldSchedules();
  }

  /** Ends the schedules of jobs that this ring no longer has. */
  async #endOldSchedules(): Promise<void> {
    const schedules = await this.#boss.getSchedules();
    for (const { name, key = '' } of schedules) {
      if (name.startsWith(`${this.#ring}/`) && !this.#schedules.has(key)) await this.#boss.unschedule(name, key);
    }
  }

  /** System tasks belong to the ring that adds them. */
  async #queueOf({ tenant }: Task, queue: string): Promise<string> {
    const ring = tenant === '' ? this.#ring : ((await this.#find(tenant))?.ring ?? this.#ring);
    return queueName(ring, queue);
  }

  /** Another ring's queue may not exist yet. */
  #ensureQueue(queue: string): Promise<void> {
    const known = this.#knownQueues.get(queue);
    if (known) return known;
    const created = this.#createQueue(queue);
    created.catch(() => this.#knownQueues.delete(queue));
    this.#knownQueues.set(queue, created);
    return created;
  }

  async #createQueue(queue: string): Promise<void> {
    await this.#boss.createQueue(queue, { notify: true, heartbeatSeconds, deleteAfterSeconds: 86_400 });
    // Loads the queue into the cache of pg-boss: adding a task in a transaction must not need a second connection.
    await this.#boss.insert(queue, []);
  }

  async #insert(
    queue: string,
    entries: readonly (Entry & { readonly retryLimit: number })[],
    db?: Db | undefined,
  ): Promise<void> {
    await this.#ensureQueue(queue);
    const jobs = withoutRepeatedIds(entries).map(({ task, options: { id, startAt } = {}, retryLimit }) => ({
      data: task,
      retryLimit,
      ...(id === undefined ? {} : { id }),
      ...(startAt === undefined ? {} : { startAfter: startAt.toISOString() }),
    }));
    await this.#boss.insert(queue, jobs, db ? { db: onTransaction(db) } : {});
  }

  async #move(task: Task, queue: string, id: string, target: string): Promise<void> {
    const retryLimit = this.#handlers.get(task.job)?.retries.length ?? defaultRetries.length;
    await this.#ensureQueue(target);
    await this.#central.tx(async (tx) => {
      await this.#insert(target, [{ task, retryLimit }], tx);
      await this.#boss.deleteJob(queue, id, { db: onTransaction(tx) });
    });
  }

  async #perform(queue: string, { id, data: task, retryCount }: JobWithMetadata<Task>): Promise<void> {
    const own = queue.slice(this.#ring.length + 1);
    const target = await this.#queueOf(task, own);
    if (target !== queue) {
      // The tenant has been assigned to another ring.
      await this.#move(task, queue, id, target);
      return;
    }
    const handler = this.#handlers.get(task.job);
    const isSuspended = task.tenant !== '' && (await this.#find(task.tenant))?.isSuspended;
    if (!handler || isSuspended) {
      const reason = isSuspended ? 'its tenant is suspended' : 'no module of this process has its job';
      this.#log[isSuspended ? 'debug' : 'warn']({ job: task.job, queue }, `a task waits: ${reason}`);
      await this.#postpone(queue, id);
      return;
    }
    try {
      await handler.perform(task);
    } catch (error) {
      const details = { err: error, job: task.job, tenant: task.tenant, tries: retryCount + 1 };
      if (task.tenant !== '' && isWaiting(error)) {
        this.#log.warn(details, 'a task waits: the database of its tenant cannot be used now');
        await this.#postpone(queue, id);
        return;
      }
      const delay = handler.retries[retryCount];
      if (delay === undefined) {
        this.#log.error(details, 'a task failed its last retry; see chowkd jobs:list');
        await this.addDead(task, own, (error as Error).message, id);
        return;
      }
      this.#log.warn(details, `a task failed; next attempt in ${delay} seconds`);
      await this.#central.run(sql`UPDATE pgboss.job SET retry_delay = ${delay} WHERE name = ${queue} AND id = ${id}`);
      throw error;
    }
  }

  /** Leaves a task until its tenant is resumed, or for a process of the next version. It is not an attempt. */
  async #postpone(queue: string, id: string): Promise<void> {
    // No longer active, so that completing it has no effect; without a start, so that fetching it counts no retry.
    await this.#central.run(sql`
      UPDATE pgboss.job SET state = 'created', started_on = NULL,
        start_after = now() + make_interval(secs => ${postponedSeconds}), keep_until = 'infinity'
      WHERE name = ${queue} AND id = ${id} AND state = 'active'`);
  }
}

/** Whether the server of the tenant is down, or the tenant is being moved to another one. */
function isWaiting(error: unknown): boolean {
  return isConnectError(error) || (error instanceof Failure && error.code === 'tenancy.moving');
}

interface DeadTask extends Task {
  readonly queue: string;
  readonly error: string;
}

function queueName(ring: string, queue: string): string {
  return `${ring}/${queue}`;
}

/** Runs the SQL of pg-boss in a transaction. */
function onTransaction(db: Db): BossDatabase {
  return { executeSql: async (text, values = []) => ({ rows: await db.rows({ text, values } as unknown as Sql) }) };
}

/** Two transactions may have added the same task; pg-boss refuses a batch in which an id occurs twice. */
function withoutRepeatedIds<One extends Entry>(entries: readonly One[]): One[] {
  const seen = new Set<string>();
  return entries.filter(({ options: { id } = {} }) => {
    if (id === undefined) return true;
    const isFirst = !seen.has(id);
    seen.add(id);
    return isFirst;
  });
}
