import { type Db, type Log, sql, type WaitingJob } from '@chowk/kit/kernel';
import { type Db as BossDatabase, PgBoss } from 'pg-boss';
import type { Tracer } from '../tracing/tracer.ts';
import type { JobCounts } from './job-counts.ts';
import { RingQueues, type TenantState } from './ring-queues.ts';
import { type AddOptions, defaultRetries, type Entry, type JobHandler, type Task } from './task.ts';
import { TaskWorker } from './task-worker.ts';
import { makeTaskIdsUnique } from './unique-task-ids.ts';

export interface QueueFigures {
  /** Empty for the tasks that have failed permanently. */
  readonly ring: string;
  readonly queue: string;
  readonly waiting: number;
  readonly delayed: number;
  readonly active: number;
  readonly oldest_seconds: number;
}

/** A task as it waits in a queue. */
export interface WaitingEntry {
  readonly id: string;
  readonly startAt: string;
  readonly retryLimit: number;
  readonly task: Task;
}

/** The tasks that are not finished, of all rings. */
export const waitingTasks = sql`
  SELECT name AS queue, json_build_object('id', id, 'startAt', start_after, 'retryLimit', retry_limit, 'task', data) AS entry
  FROM pgboss.job WHERE (name LIKE '%/%' OR name = 'dead') AND state < 'completed' ORDER BY created_on`;

interface DeadTask extends Task {
  readonly queue: string;
  readonly error: string;
}

/** Tasks whose last retry has failed wait here for an operator. */
const deadQueue = 'dead';
const maxListed = 500;
/** With one statement. */
const maxInserted = 2_000;

/** Named job queues in the central database, on pg-boss. */
export class JobQueues {
  readonly #boss: PgBoss;
  readonly #central: Db;
  readonly #handlers: ReadonlyMap<string, JobHandler>;
  readonly #schedules: ReadonlyMap<string, string>;
  readonly #queues: RingQueues;
  readonly #worker: TaskWorker;
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
    tracer?: Tracer | undefined;
    log: Log;
  }) {
    this.#central = options.central;
    this.#handlers = options.handlers;
    this.#schedules = options.schedules;
    this.#boss = new PgBoss({
      db: options.database,
      useListenNotify: true,
      superviseIntervalSeconds: 3,
      monitorIntervalSeconds: 3,
      maintenanceIntervalSeconds: 300,
    });
    this.#boss.on('error', (err) => options.log.warn({ err }, `the job queue reports an error: ${err.message}`));
    this.#boss.on('warning', ({ message }) => options.log.debug({}, message));
    this.#queues = new RingQueues({ ...options, boss: this.#boss });
    this.#worker = new TaskWorker({
      ...options,
      boss: this.#boss,
      queues: this.#queues,
      addDead: (task, queue, error, id) => this.addDead(task, queue, error, id),
    });
  }

  get names(): string[] {
    return [...new Set([...this.#handlers.values()].map(({ queue }) => queue))].sort();
  }

  /** The jobs that this process can perform. */
  get jobNames(): string[] {
    return [...this.#handlers.keys()];
  }

  /** What this process has performed. */
  get counts(): JobCounts {
    return this.#worker.counts;
  }

  /** Throws if no module has the job. */
  getHandler(job: string): JobHandler {
    const handler = this.#handlers.get(job);
    if (!handler) throw new Error(`there is no job ${job}; the jobs are ${this.#addableJobs().join(', ')}`);
    return handler;
  }

  isSystemJob(job: string): boolean {
    return this.getHandler(job).system ?? false;
  }

  async add(task: Task, options: AddOptions = {}): Promise<void> {
    await this.addAll([{ task, options }]);
  }

  /**
   * Adds tasks. A task whose id exists already, in any ring, is not added again. With `db`, a transaction on the central database, they
   * are added when it commits.
   */
  async addAll(entries: readonly Entry[], db?: Db): Promise<void> {
    await this.start();
    const waiting = await Promise.all(
      entries.map(async (entry) => {
        const { queue, retries, version } = this.getHandler(entry.task.job);
        const task = { version, ...entry.task };
        return { ...entry, task, queue: await this.#queues.queueFor(entry.task, queue), retryLimit: retries.length };
      }),
    );
    for (const [queue, batch] of Map.groupBy(waiting, (entry) => entry.queue)) {
      await this.#queues.insert(queue, batch, db);
    }
  }

  /** Adds a task for each of these tenants of this ring, all or none. */
  async addForTenants(task: Task, tenants: readonly string[]): Promise<void> {
    await this.start();
    const { queue: name, retries, version } = this.getHandler(task.job);
    const queue = this.#queues.own(name);
    await this.#queues.ensure(queue);
    const waiting = tenants.map((tenant) => ({ task: { version, ...task, tenant }, retryLimit: retries.length }));
    await this.#central.tx(async (tx) => {
      for (let start = 0; start < waiting.length; start += maxInserted) {
        await this.#queues.insert(queue, waiting.slice(start, start + maxInserted), tx);
      }
    });
  }

  /** Creates the queues and the schedules. The first `add` does it as well. */
  start(): Promise<void> {
    this.#started ??= this.#open();
    return this.#started;
  }

  /** Starts workers, which run until `stop`. */
  async work(queues: readonly string[] = this.names): Promise<void> {
    await this.start();
    await Promise.all(queues.map((queue) => this.#worker.start(queue)));
  }

  /** Waits up to this many seconds for running tasks; the others go back to their queues. */
  async stop(seconds: number): Promise<void> {
    if (!this.#started) return;
    await this.#started.catch(() => {});
    this.#worker.stop();
    await this.#boss.stop({ graceful: true, timeout: seconds * 1_000, close: false });
  }

  /** The tasks of all rings: those that failed permanently first, then those that run or wait. */
  async list({ onlyFailed = false } = {}): Promise<{ rows: WaitingJob[]; total: number }> {
    const isListed = onlyFailed ? sql`name = ${deadQueue}` : sql`(name LIKE '%/%' OR name = ${deadQueue})`;
    const rows = await this.#central.rows<WaitingJob & { total: number }>(sql`
      SELECT id, substring(name from '^(.*)/') AS ring, substring(name from '[^/]*$') AS queue, data->>'job' AS job,
        data->>'tenant' AS tenant, CASE name WHEN ${deadQueue} THEN 'failed' ELSE state::text END AS state,
        retry_count + 1 AS tries, coalesce(data->>'error', output->>'message') AS error, created_on AS created_at,
        count(*) OVER () AS total
      FROM pgboss.job WHERE ${isListed} AND state IN ('created', 'retry', 'active')
      ORDER BY name = ${deadQueue} DESC, state = 'active' DESC, created_on LIMIT ${maxListed}`);
    return { rows: rows.map(({ total, ...row }) => row), total: rows[0]?.total ?? 0 };
  }

  /** The tasks of each queue by state, and how long the oldest that could start has waited. */
  async measure(): Promise<QueueFigures[]> {
    await this.start();
    return this.#central.rows<QueueFigures>(sql`
      SELECT coalesce(substring(name from '^(.*)/'), '') AS ring, substring(name from '[^/]*$') AS queue,
        count(*) FILTER (WHERE state < 'active' AND start_after <= now())::int AS waiting,
        count(*) FILTER (WHERE state < 'active' AND start_after > now())::int AS delayed,
        count(*) FILTER (WHERE state = 'active')::int AS active,
        coalesce(extract(epoch FROM now() - min(start_after) FILTER (WHERE state < 'active' AND start_after <= now())), 0)::float8
          AS oldest_seconds
      FROM pgboss.job WHERE (name LIKE '%/%' OR name = ${deadQueue}) AND state < 'completed' GROUP BY name`);
  }

  /** Deletes the tasks of a deleted tenant: another one may get its id. */
  async removeTenant(tenantId: string): Promise<void> {
    await this.start();
    await this.#central.run(sql`DELETE FROM pgboss.job WHERE data->>'tenant' = ${tenantId}`);
  }

  /** Adds a task to the queue `dead`, for an operator. Its id keeps it from being added twice. */
  async addDead(task: Task, queue: string, error: string, id?: string): Promise<void> {
    await this.start();
    await this.#boss.insert(deadQueue, [{ data: { ...task, queue, error }, ...(id === undefined ? {} : { id }) }]);
  }

  /** Adds the tasks of a backup to the queues, of any ring, in which they waited. */
  async addWaiting(queue: string, { id, startAt, retryLimit, task }: WaitingEntry): Promise<void> {
    await this.start();
    if (queue === deadQueue) await this.#boss.insert(deadQueue, [{ data: task, id }]);
    else await this.#queues.insert(queue, [{ task, options: { id, startAt: new Date(startAt) }, retryLimit }]);
  }

  /** Moves the dead task with this id, or all of them, back to their queues and returns the count. */
  async retryDead(id?: string): Promise<number> {
    await this.start();
    const dead = await this.#boss.findJobs<DeadTask>(deadQueue, { queued: true, ...(id ? { id } : {}) });
    for (const { id: deadId, data } of dead) {
      const { queue, error: _, ...task } = data;
      const { retries } = this.#handlers.get(task.job) ?? { retries: defaultRetries };
      const target = await this.#queues.queueFor(task, queue);
      await this.#queues.move({ task, retryLimit: retries.length }, { queue: deadQueue, id: deadId }, target);
    }
    return dead.length;
  }

  #addableJobs(): string[] {
    return [...this.#handlers].filter(([, { data }]) => data).map(([name]) => name);
  }

  async #open(): Promise<void> {
    await this.#boss.start();
    await makeTaskIdsUnique(this.#central);
    await this.#boss.createQueue(deadQueue, { retentionSeconds: 90 * 86_400 });
    await this.#queues.ensureAll(this.names);
    const scheduled = [...this.#schedules].map(([job, cron]) => ({ job, cron, name: this.getHandler(job).queue }));
    await this.#queues.schedule(scheduled);
  }
}
