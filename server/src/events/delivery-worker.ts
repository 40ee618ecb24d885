import { createHash } from 'node:crypto';
import { type Ctx, type Db, type Log, sql } from '@chowk/kit';
import type { Signals } from '../db/signals.ts';
import type { JobHandler, JobQueues, Task } from '../jobs/job-queues.ts';
import type { TenantEntry } from '../tenancy/directory.ts';
import { announceMigrations } from './announce-migrations.ts';
import { listenerKey, type RegisteredListener } from './event-hub.ts';
import {
  type AddedJob,
  addedJobs,
  deleteAddedJobs,
  deleteDeliveries,
  outboxState,
  type PendingDelivery,
  readyDeliveries,
  recordFailure,
  reviveDelivery,
} from './outbox.ts';

export interface DeliveryWorkerOptions {
  readonly listeners: readonly RegisteredListener[];
  /** The ring of this process. */
  readonly ring: string;
  readonly find: (tenantId: string) => Promise<TenantEntry | undefined>;
  readonly hasModule: (tenantId: string, alias: string) => Promise<boolean>;
  readonly contextFor: (tenant: TenantEntry, module: string, requestId: string) => Ctx;
  readonly jobs: () => JobQueues;
  readonly central: Db;
  readonly signals: Signals;
  readonly log: Log;
}

interface JobOfTenant extends AddedJob<Task> {
  readonly tenant: TenantEntry;
}

/** The job that retries a delivery on behalf of an operator. */
export const deliveryJob = 'kernel.deliver';
export const eventsQueue = 'events';

const channel = 'chowk_events';
/** Seconds before each retry. */
const retries: readonly number[] = [1, 5, 30, 120, 600];
const sweepEveryMs = 30_000;
const retryAfterMs = 3_000;
/** Deliveries that are repeated if the process dies meanwhile. */
const batchSize = 100;
const tenantsAtOnce = 4;
const listenersAtOnce = 8;
const maxMovedAtOnce = 500;
const listenerTimeoutMs = 5 * 60_000;
const lockOf = (tenantId: string) => `deliver ${tenantId}`;

/**
 * Runs `afterCommit` listeners. One process at a time does it for a tenant, under a lock that PostgreSQL releases when the
 * process dies. Also moves jobs that transactions have added to their queues.
 */
export class DeliveryWorker {
  readonly #options: DeliveryWorkerOptions;
  readonly #listeners: ReadonlyMap<string, RegisteredListener>;
  /** Tenants with work; `true` if a sweep found them. */
  readonly #due = new Map<string, boolean>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #added: JobOfTenant[] = [];
  #moving: Promise<void> | undefined;
  /** Tenants whose events another process delivers. */
  readonly #toNotify = new Set<string>();
  #notifying: Promise<void> | undefined;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  #sweeping: NodeJS.Timeout | undefined;
  #isWorking = false;

  constructor(options: DeliveryWorkerOptions) {
    this.#options = options;
    const afterCommit = options.listeners.filter(({ when }) => when === 'after_commit');
    this.#listeners = new Map(afterCommit.map((listener) => [listenerKey(listener), listener]));
  }

  /** Delivers from now on, also what a process left behind when it died. */
  async work(): Promise<void> {
    if (this.#isWorking) return;
    this.#isWorking = true;
    const onNotify = (tenantId: string) => this.#add(tenantId);
    await this.#options.signals.listen(channel, { onNotify, onConnectionChange: () => {} });
    void this.#sweepRepeatedly();
  }

  /** Called after a commit that wrote deliveries. */
  wake({ id, ring }: TenantEntry): void {
    if (this.#isWorking && ring === this.#options.ring) {
      this.#add(id);
      return;
    }
    this.#toNotify.add(id);
    this.#notifying ??= this.#notify();
  }

  /**
   * Moves jobs that a committed transaction has added to their queues. Concurrent calls share statements: in the central
   * database only one transaction at a time can commit a notification.
   */
  async moveJobs(tenant: TenantEntry, jobs: readonly AddedJob<Task>[]): Promise<void> {
    if (jobs.length === 0) return;
    this.#added.push(...jobs.map((job) => ({ tenant, ...job })));
    this.#moving ??= this.#moveAdded();
    await this.#moving;
  }

  /** Finds the tenants of this ring that may have work. */
  async sweep(): Promise<void> {
    await announceMigrations(this.#options);
    const rows = await this.#options.central.rows<{ tenant_id: string }>(sql`
      SELECT a.tenant_id FROM outbox_activity a JOIN tenants t ON t.id = a.tenant_id
        JOIN module_rings r ON r.id = t.module_ring_id
      WHERE r.name = ${this.#options.ring}`);
    for (const { tenant_id } of rows) this.#add(tenant_id, true);
  }

  /** Emits `tenant.database_migrated` of a new tenant now; otherwise the next sweep does. */
  async announceMigration(tenantId: string): Promise<void> {
    await announceMigrations(this.#options, tenantId).catch(() => {});
  }

  async close(): Promise<void> {
    this.#isWorking = false;
    clearTimeout(this.#sweeping);
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#due.clear();
    await Promise.allSettled([...this.#running.values(), this.#moving, this.#notifying]);
  }

  /** Retries a delivery whose last attempt has failed. */
  readonly handler: JobHandler = {
    queue: eventsQueue,
    retries: [1, 5, 30, 120, 600],
    perform: async ({ tenant: id, data }: Task) => {
      const tenant = await this.#options.find(id);
      if (!tenant) return;
      await reviveDelivery(tenant.db, (data as { seq: number }).seq);
      this.wake(tenant);
    },
  };

  async #sweepRepeatedly(): Promise<void> {
    let delayMs = sweepEveryMs;
    try {
      await this.sweep();
    } catch (error) {
      this.#options.log.warn({ err: error }, 'could not look for undelivered events; trying again soon');
      delayMs = retryAfterMs;
    }
    if (this.#isWorking) this.#sweeping = setTimeout(() => this.#sweepRepeatedly(), delayMs).unref();
  }

  #add(tenantId: string, isSwept = false): void {
    this.#due.set(tenantId, isSwept || (this.#due.get(tenantId) ?? false));
    this.#pump();
  }

  #pump(): void {
    if (!this.#isWorking) return;
    for (const [id, isSwept] of this.#due) {
      if (this.#running.size >= tenantsAtOnce) return;
      if (this.#running.has(id)) continue;
      this.#due.delete(id);
      const run = this.#deliverTo(id, isSwept)
        .catch((error: unknown) => {
          this.#options.log.warn({ err: error, tenant: id }, 'could not deliver events; trying again soon');
          this.#addLater(id, retryAfterMs, isSwept);
        })
        .finally(() => {
          this.#running.delete(id);
          this.#pump();
        });
      this.#running.set(id, run);
    }
  }

  async #deliverTo(id: string, isSwept: boolean): Promise<void> {
    const tenant = await this.#options.find(id);
    if (!tenant || tenant.ring !== this.#options.ring) return;
    if (isSwept) await this.moveJobs(tenant, await addedJobs<Task>(tenant.db));
    // The process with the lock looks once more after it has released it.
    if (!(await this.#options.signals.tryLock(lockOf(id)))) return;
    try {
      while (this.#isWorking && (await this.#deliverBatch(tenant)) === batchSize);
    } finally {
      await this.#options.signals.unlock(lockOf(id));
    }
    const { hasReady, nextAttemptAt, isEmpty } = await outboxState(tenant.db, [...this.#listeners.keys()]);
    if (hasReady) this.#add(id);
    else if (nextAttemptAt !== null) this.#addLater(id, Date.parse(nextAttemptAt) - Date.now());
    if (isSwept && isEmpty) await this.#forget(id);
  }

  async #deliverBatch(tenant: TenantEntry): Promise<number> {
    const pending = await readyDeliveries(tenant.db, [...this.#listeners.keys()], batchSize);
    const queue = [...Map.groupBy(pending, ({ listener, about, seq }) => `${listener} ${about ?? seq}`).values()];
    const delivered: number[] = [];
    const work = async () => {
      for (let subject = queue.shift(); subject; subject = queue.shift()) {
        for (const delivery of subject) {
          if (!(await this.#deliver(tenant, delivery))) break;
          delivered.push(delivery.seq);
        }
      }
    };
    await Promise.all(Array.from({ length: listenersAtOnce }, work)).finally(() =>
      deleteDeliveries(tenant.db, delivered),
    );
    return pending.length;
  }

  /** Settles with whether the delivery is done. */
  async #deliver(tenant: TenantEntry, delivery: PendingDelivery): Promise<boolean> {
    const { hasModule, contextFor, log } = this.#options;
    const { id, name, emittedAt, payload } = delivery;
    const listener = this.#listeners.get(delivery.listener) as RegisteredListener;
    if (!(await hasModule(tenant.id, listener.module))) return true;
    try {
      const run = listener.run(contextFor(tenant, listener.module, id), payload, { id, name, emittedAt });
      await withTimeout(run, listenerTimeoutMs);
      return true;
    } catch (error) {
      const details = { err: error, tenant: tenant.id, event: name, listener: delivery.listener };
      log.warn({ ...details, tries: delivery.attempts + 1 }, 'a listener failed');
      await this.#fail(tenant, delivery, error as Error);
      return false;
    }
  }

  async #fail(
    tenant: TenantEntry,
    { id, seq, name, listener, attempts }: PendingDelivery,
    error: Error,
  ): Promise<void> {
    const delay = retries[attempts];
    if (delay === undefined) {
      const task = { job: deliveryJob, tenant: tenant.id, data: { seq, listener, event: name }, requestId: id };
      const message = `${listener} on ${name}: ${error.message}`;
      await this.#options.jobs().addDead(task, eventsQueue, message, taskId(id, listener));
    }
    await recordFailure(tenant.db, seq, delay);
  }

  /** Clears `#moving` in the same turn as its last look at `#added`, so that no job is added between the two. */
  async #moveAdded(): Promise<void> {
    try {
      while (this.#added.length > 0) await this.#moveBatch(this.#added.splice(0, maxMovedAtOnce));
    } finally {
      this.#moving = undefined;
    }
  }

  async #moveBatch(batch: readonly JobOfTenant[]): Promise<void> {
    await this.#options.jobs().addAll(
      batch.map(({ id, task, startAt }) => ({
        task,
        options: { id, ...(startAt === null ? {} : { startAt: new Date(startAt) }) },
      })),
    );
    // A job that stays here is added again by the next sweep; its id keeps it from running twice.
    const byTenant = [...Map.groupBy(batch, ({ tenant }) => tenant)];
    const idsOf = (jobs: readonly JobOfTenant[]) => jobs.map(({ id }) => id);
    await Promise.allSettled(byTenant.map(([{ db }, jobs]) => deleteAddedJobs(db, idsOf(jobs))));
  }

  async #notify(): Promise<void> {
    const { central, log } = this.#options;
    while (this.#toNotify.size > 0) {
      const ids = [...this.#toNotify];
      this.#toNotify.clear();
      await central
        .run(sql`SELECT pg_notify(${channel}, id) FROM unnest(${ids}::text[]) AS id`)
        .catch((error: unknown) => log.warn({ err: error }, 'events wait for the next sweep'));
    }
    this.#notifying = undefined;
  }

  #addLater(id: string, delayMs: number, isSwept = false): void {
    clearTimeout(this.#timers.get(id));
    const timer = setTimeout(() => {
      this.#timers.delete(id);
      this.#add(id, isSwept);
    }, delayMs);
    this.#timers.set(id, timer.unref());
  }

  /** A process records activity every minute, so no open transaction relies on a record this old. */
  async #forget(tenantId: string): Promise<void> {
    await this.#options.central.run(sql`
      DELETE FROM outbox_activity WHERE tenant_id = ${tenantId} AND active_at < now() - interval '5 minutes'`);
  }
}

async function withTimeout(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the listener did not finish within ${ms / 1_000} seconds`)), ms);
  });
  await Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}

/** A UUID that depends on the event and the listener's name only, so that a repeated failure adds one task. */
function taskId(eventId: string, listener: string): string {
  const hex = createHash('sha256').update(`${eventId} ${listener}`).digest('hex');
  return hex.slice(0, 32).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-8$3-8$4-$5');
}
