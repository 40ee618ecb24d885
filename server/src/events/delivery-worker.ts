import { type Db, sql } from '@chowk/kit/kernel';
import type { Signals } from '../db/signals.ts';
import type { JobHandler, Task } from '../jobs/task.ts';
import type { TenantEntry } from '../tenancy/directory.ts';
import { announceMigrations } from './announce-migrations.ts';
import { batchSize, type DeliveryOptions, deliverBatch, deliveryRetries, eventsQueue } from './deliver-batch.ts';
import { listenerKey, type RegisteredListener } from './event-hub.ts';
import { JobMover } from './job-mover.ts';
import { type AddedJob, addedJobs, outboxState, reviveDelivery } from './outbox.ts';

export interface DeliveryWorkerOptions extends Omit<DeliveryOptions, 'listeners'> {
  readonly listeners: readonly RegisteredListener[];
  /** The ring of this process. */
  readonly ring: string;
  readonly find: (tenantId: string) => Promise<TenantEntry | undefined>;
  readonly central: Db;
  readonly signals: Signals;
}

const channel = 'chowk_events';
const sweepEveryMs = 30_000;
const retryAfterMs = 3_000;
const tenantsAtOnce = 4;
/** A tenant whose listeners take longer than this no longer counts towards `tenantsAtOnce`, so that others need not wait. */
const slowAfterMs = 2_000;
const maxSlowTenants = 32;
/** Between two batches of a tenant that were not full, so that frequent events are delivered several at a time. */
const restMs = 50;
const lockName = (tenantId: string) => `deliver ${tenantId}`;

/**
 * Delivers the events of tenants that have undelivered ones. One process at a time works for a tenant, under a lock that
 * PostgreSQL releases when the process dies.
 */
export class DeliveryWorker {
  readonly #options: DeliveryWorkerOptions;
  readonly #listeners: ReadonlyMap<string, RegisteredListener>;
  /** Tenants with work; `true` if a sweep found them. */
  readonly #due = new Map<string, boolean>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #slow = new Set<string>();
  /** Tenants that wait for the end of `restMs`. */
  readonly #resting = new Map<string, NodeJS.Timeout>();
  readonly #mover: JobMover;
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
    this.#mover = new JobMover(options.jobs);
  }

  /** Starts delivering, including what dead processes left behind. */
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

  /** Moves jobs that a committed transaction has added to their queues. */
  moveJobs(tenant: TenantEntry, jobs: readonly AddedJob<Task>[]): Promise<void> {
    return this.#mover.move(tenant, jobs);
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
    for (const timer of [...this.#timers.values(), ...this.#resting.values()]) clearTimeout(timer);
    this.#due.clear();
    await Promise.allSettled([...this.#running.values(), this.#mover.close(), this.#notifying]);
  }

  /** Retries a delivery whose last attempt has failed. */
  readonly handler: JobHandler = {
    queue: eventsQueue,
    retries: deliveryRetries,
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
      if (this.#running.size >= tenantsAtOnce + Math.min(this.#slow.size, maxSlowTenants)) return;
      if (this.#running.has(id) || this.#resting.has(id)) continue;
      this.#due.delete(id);
      const slowTimer = setTimeout(() => {
        this.#slow.add(id);
        this.#pump();
      }, slowAfterMs);
      const run = this.#deliverTo(id, isSwept)
        .catch((error: unknown) => {
          this.#options.log.warn({ err: error, tenant: id }, 'could not deliver events; trying again soon');
          this.#addLater(id, retryAfterMs, isSwept);
        })
        .finally(() => {
          clearTimeout(slowTimer);
          this.#slow.delete(id);
          this.#running.delete(id);
          this.#pump();
        });
      this.#running.set(id, run);
    }
  }

  async #deliverTo(id: string, isSwept: boolean): Promise<void> {
    const tenant = await this.#options.find(id);
    if (!tenant || tenant.ring !== this.#options.ring) return;
    if (isSwept) await this.moveJobs(tenant, await addedJobs<Task>(tenant.db, this.#options.jobs().jobNames));
    // The process with the lock checks once more after releasing it.
    if (!(await this.#options.signals.tryLock(lockName(id)))) return;
    const options = { ...this.#options, listeners: this.#listeners };
    try {
      // After each batch, it is the turn of tenants that wait.
      let isFull = this.#isWorking;
      do isFull &&= (await deliverBatch(options, tenant)) === batchSize;
      while (isFull && this.#isWorking && this.#due.size === 0);
      if (!isFull) this.#rest(id);
    } finally {
      await this.#options.signals.unlock(lockName(id));
    }
    const { hasReady, nextAttemptAt, isEmpty } = await outboxState(tenant.db, [...this.#listeners.keys()]);
    if (hasReady) this.#add(id);
    else if (nextAttemptAt !== null) this.#addLater(id, Date.parse(nextAttemptAt) - Date.now());
    if (isSwept && isEmpty) await this.#forget(id);
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

  #rest(id: string): void {
    const end = () => {
      this.#resting.delete(id);
      this.#pump();
    };
    this.#resting.set(id, setTimeout(end, restMs).unref());
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
      WITH forgotten AS (
        DELETE FROM outbox_activity WHERE tenant_id = ${tenantId} AND active_at < now() - interval '5 minutes'
        RETURNING tenant_id, active_at)
      INSERT INTO tenant_activity SELECT tenant_id, active_at FROM forgotten
      ON CONFLICT (tenant_id) DO UPDATE SET active_at = excluded.active_at`);
  }
}
