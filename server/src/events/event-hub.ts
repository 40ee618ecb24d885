import { type Ctx, type Db, type Delivery, type Listener, type Log, sql } from '@chowk/kit';
import { fail } from '../errors.ts';
import type { JobHandler, JobQueues, Task } from '../jobs/job-queues.ts';
import type { TenantEntry } from '../tenancy/directory.ts';
import { drainOutbox, type OutboxEvent, writeOutbox } from './outbox.ts';

export interface RegisteredListener extends Listener {
  readonly module: string;
}

/** The emitting call. */
export interface EmitFrame {
  readonly module: string;
  readonly tenant: TenantEntry;
  /** The emitting transaction. */
  readonly db: Db;
  newId(): string;
  /** The context of another module in the same transaction. */
  contextFor(module: string): Ctx;
}

export interface EventHubOptions {
  readonly listeners: readonly RegisteredListener[];
  /** The events that each module may emit. */
  readonly emits: ReadonlyMap<string, ReadonlySet<string>>;
  readonly hasModule: (tenantId: string, alias: string) => Promise<boolean>;
  readonly central: Db;
  readonly log: Log;
}

/** The job that delivers one event to one listener. */
export const deliveryJob = 'kernel.deliver';

interface DeliveryData extends Delivery {
  readonly listener: string;
  readonly payload: unknown;
}

const recordActivityEveryMs = 60_000;
const sweepEveryMs = 30_000;

/** Delivers events to listeners, in the emitting transaction or after its commit. */
export class EventHub {
  readonly #options: EventHubOptions;
  readonly #inTransaction = new Map<string, RegisteredListener[]>();
  readonly #afterCommit = new Map<string, RegisteredListener[]>();
  /** When this process last recorded activity of a tenant. */
  readonly #recordedAt = new Map<string, number>();
  readonly #draining = new Map<string, { again: boolean; done: Promise<void> }>();
  #jobs: JobQueues | undefined;
  #sweeping: NodeJS.Timeout | undefined;

  constructor(options: EventHubOptions) {
    this.#options = options;
    for (const listener of options.listeners) {
      const byEvent = listener.when === 'in_transaction' ? this.#inTransaction : this.#afterCommit;
      byEvent.set(listener.event, [...(byEvent.get(listener.event) ?? []), listener]);
    }
  }

  /** Called after the constructor, because the queues need the hub's handler. */
  connect(jobs: JobQueues): void {
    this.#jobs = jobs;
  }

  /** Runs the in-transaction listeners and writes the event to the outbox. Settles with whether the outbox must be drained. */
  async emit(frame: EmitFrame, name: string, payload: unknown, about: string | undefined): Promise<boolean> {
    const { module, tenant, db } = frame;
    if (!this.#options.emits.get(module)?.has(name)) throw fail('events.not_declared', { module, name });
    const event: OutboxEvent = { id: frame.newId(), name, about, payload, emittedAt: new Date().toISOString() };
    const isDurable = this.#afterCommit.has(name);
    if (isDurable) {
      await this.#recordActivity(tenant);
      await writeOutbox(db, event);
    }
    for (const listener of this.#inTransaction.get(name) ?? []) {
      if (!(await this.#options.hasModule(tenant.id, listener.module))) continue;
      await listener.run(frame.contextFor(listener.module), payload, event);
    }
    return isDurable;
  }

  /** Adds one task for each event in the outbox and listener. Concurrent calls for a tenant share one run. */
  drain(tenant: TenantEntry): Promise<void> {
    const running = this.#draining.get(tenant.id);
    if (running) {
      running.again = true;
      return running.done;
    }
    const state = { again: false, done: Promise.resolve() };
    this.#draining.set(tenant.id, state);
    state.done = this.#drainAll(tenant, state).finally(() => this.#draining.delete(tenant.id));
    return state.done;
  }

  /** Drains, now and regularly, outboxes that a process left behind when it died between commit and drain. */
  startSweeping(find: (tenantId: string) => Promise<TenantEntry | undefined>): void {
    const sweep = () =>
      this.sweep(find).catch((error: unknown) =>
        this.#options.log.warn({ err: error }, 'could not sweep the outboxes'),
      );
    void sweep();
    this.#sweeping = setInterval(sweep, sweepEveryMs).unref();
  }

  async sweep(find: (tenantId: string) => Promise<TenantEntry | undefined>): Promise<void> {
    const rows = await this.#options.central.rows<{ tenant_id: string; old: boolean }>(sql`
      SELECT tenant_id, active_at < now() - interval '5 minutes' AS old FROM outbox_activity`);
    for (const { tenant_id, old } of rows) {
      const tenant = await find(tenant_id);
      if (tenant) await this.drain(tenant);
      // A process records activity every minute, so no open transaction relies on a record this old.
      if (old) {
        await this.#options.central.run(sql`
          DELETE FROM outbox_activity WHERE tenant_id = ${tenant_id} AND active_at < now() - interval '5 minutes'`);
      }
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeping);
    await Promise.allSettled([...this.#draining.values()].map(({ done }) => done));
  }

  /** The handler of the delivery job. */
  handler(
    inContext: (task: Task, module: string, run: (ctx: Ctx) => Promise<unknown>) => Promise<unknown>,
  ): JobHandler {
    const byKey = new Map(this.#options.listeners.map((listener) => [keyOf(listener), listener]));
    return {
      queue: 'events',
      retries: [1, 5, 30, 120, 600],
      perform: async (task) => {
        const { listener: key, payload, ...delivery } = task.data as DeliveryData;
        const listener = byKey.get(key);
        if (!listener) {
          this.#options.log.warn({ listener: key }, 'dropped an event: no module has its listener');
          return;
        }
        await inContext(task, listener.module, (ctx) => listener.run(ctx, payload, delivery));
      },
    };
  }

  async #drainAll(tenant: TenantEntry, state: { again: boolean }): Promise<void> {
    do {
      state.again = false;
      await drainOutbox(tenant.db, (events) => this.#enqueue(tenant, events));
    } while (state.again);
  }

  async #enqueue(tenant: TenantEntry, events: readonly OutboxEvent[]): Promise<void> {
    const entries = events.flatMap((event) =>
      (this.#afterCommit.get(event.name) ?? []).map((listener, index) => {
        const { about, payload, ...delivery } = event;
        const key = keyOf(listener);
        const task = {
          job: deliveryJob,
          tenant: tenant.id,
          data: { ...delivery, listener: key, payload },
          requestId: event.id,
        };
        return { task, options: { id: taskId(event.id, index), orderKey: `${tenant.id} ${key} ${about ?? event.id}` } };
      }),
    );
    if (entries.length > 0) await this.#jobs?.addAll(entries);
  }

  /** Records in the central database, before the first write, that the tenant's outbox may hold events. */
  async #recordActivity(tenant: TenantEntry): Promise<void> {
    const now = Date.now();
    if (now - (this.#recordedAt.get(tenant.id) ?? 0) < recordActivityEveryMs) return;
    await this.#options.central.run(sql`
      INSERT INTO outbox_activity (tenant_id) VALUES (${tenant.id})
      ON CONFLICT (tenant_id) DO UPDATE SET active_at = now()`);
    this.#recordedAt.set(tenant.id, now);
  }
}

function keyOf({ module, name }: RegisteredListener): string {
  return `${module}/${name}`;
}

/** The event's id combined with the listener's index, so that draining an event twice adds one task. */
function taskId(eventId: string, listener: number): string {
  const tail = (Number.parseInt(eventId.slice(-4), 16) ^ (listener + 1)) & 0xffff;
  return eventId.slice(0, -4) + tail.toString(16).padStart(4, '0');
}
