import { isDeepStrictEqual } from 'node:util';
import type { Db, Sql } from '@chowk/kit/kernel';
import type { Db as BossDatabase, PgBoss } from 'pg-boss';
import type { Entry, Task } from './task.ts';

/** What decides when and where a tenant's tasks are performed. */
export interface TenantState {
  readonly ring: string;
  readonly isSuspended: boolean;
}

export interface RingQueuesOptions {
  readonly boss: PgBoss;
  readonly central: Db;
  /** The ring of this process. */
  readonly ring: string;
  readonly find: (tenantId: string) => Promise<TenantState | undefined>;
}

export interface WaitingTask extends Entry {
  readonly retryLimit: number;
}

/** The task of a worker without a heartbeat for this long goes to another worker. The minimum of pg-boss. */
const heartbeatSeconds = 10;

/**
 * The queues of pg-boss. Each ring has its own: a task is performed by a process of its tenant's ring, because other rings
 * may not have its module, or another version.
 */
export class RingQueues {
  readonly #boss: PgBoss;
  readonly #central: Db;
  readonly #ring: string;
  readonly #find: (tenantId: string) => Promise<TenantState | undefined>;
  readonly #known = new Map<string, Promise<void>>();

  constructor({ boss, central, ring, find }: RingQueuesOptions) {
    this.#boss = boss;
    this.#central = central;
    this.#ring = ring;
    this.#find = find;
  }

  /** The full name of a queue of this ring. */
  own(name: string): string {
    return queueName(this.#ring, name);
  }

  /** The queue of a task. System tasks belong to the ring that adds them. */
  async queueFor({ tenant }: Task, name: string): Promise<string> {
    const ring = tenant === '' ? this.#ring : ((await this.#find(tenant))?.ring ?? this.#ring);
    return queueName(ring, name);
  }

  /** Creates a queue. Another ring's queue may not exist yet. */
  ensure(queue: string): Promise<void> {
    const known = this.#known.get(queue);
    if (known) return known;
    const created = this.#create(queue);
    created.catch(() => this.#known.delete(queue));
    this.#known.set(queue, created);
    return created;
  }

  /** With `db`, a transaction on the central database, the tasks are added when it commits. */
  async insert(queue: string, tasks: readonly WaitingTask[], db?: Db): Promise<void> {
    await this.ensure(queue);
    const jobs = withoutRepeatedIds(tasks).map(({ task, options: { id, startAt } = {}, retryLimit }) => ({
      data: task,
      retryLimit,
      // Workers share their time fairly between groups.
      ...(task.tenant === '' ? {} : { group: { id: task.tenant } }),
      ...(id === undefined ? {} : { id }),
      ...(startAt === undefined ? {} : { startAfter: startAt.toISOString() }),
    }));
    await this.#boss.insert(queue, jobs, db ? { db: onTransaction(db) } : {});
  }

  async move(waiting: WaitingTask, from: { readonly queue: string; readonly id: string }, to: string): Promise<void> {
    await this.ensure(to);
    await this.#central.tx(async (tx) => {
      await this.#boss.deleteJob(from.queue, from.id, { db: onTransaction(tx) });
      await this.insert(to, [waiting], tx);
    });
  }

  /** Creates the queues of this ring that do not exist. */
  async ensureAll(names: readonly string[]): Promise<void> {
    // pg-boss has loaded those that exist into its cache.
    const existing = new Set((await this.#boss.getQueues()).map(({ name }) => name));
    for (const queue of names.map((name) => this.own(name))) {
      if (existing.has(queue)) this.#known.set(queue, Promise.resolve());
      else await this.ensure(queue);
    }
  }

  /** Creates the schedules of the jobs, changes those that differ and ends those that this ring no longer has. */
  async schedule(jobs: readonly { readonly job: string; readonly cron: string; readonly name: string }[]) {
    const label = (name: string, job: string) => `${name} ${job}`;
    const all = await this.#boss.getSchedules();
    const stored = new Map(
      all.filter(({ name }) => name.startsWith(this.own(''))).map((one) => [label(one.name, one.key), one]),
    );
    for (const { job, cron, name } of jobs) {
      const queue = this.own(name);
      const task = { job, tenant: '', data: {}, requestId: 'schedule' };
      const same = stored.get(label(queue, job));
      stored.delete(label(queue, job));
      if (same?.cron === cron && isDeepStrictEqual(same.data, task)) continue;
      await this.#boss.schedule(queue, cron, task, { key: job });
    }
    for (const { name, key } of stored.values()) await this.#boss.unschedule(name, key);
  }

  async #create(queue: string): Promise<void> {
    await this.#boss.createQueue(queue, { notify: true, heartbeatSeconds, deleteAfterSeconds: 86_400 });
    // Loads the queue into the cache of pg-boss: adding a task in a transaction must not need a second connection.
    await this.#boss.insert(queue, []);
  }
}

function queueName(ring: string, name: string): string {
  return `${ring}/${name}`;
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
