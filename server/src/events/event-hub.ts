import type { MaybePromise } from '@chowk/kit';
import { type Ctx, type Db, type Delivery, type Listener, type Log, sql } from '@chowk/kit';
import { fail } from '../errors.ts';
import type { JobHandler, JobQueues, Task } from '../jobs/job-queues.ts';
import type { TenantEntry } from '../tenancy/directory.ts';
import { drainOutbox, type OutboxEvent, writeOutbox } from './outbox.ts';

export interface RegisteredListener extends Listener {
  readonly module: string;
}

/** Who emits, from where; made by the kernel. */
export interface EmitFrame {
  readonly module: string;
  readonly tenant: TenantEntry;
  /** The transaction that emits. */
  readonly db: Db;
  newId(): string;
  /** The context of another module in the same transaction. */
  enter(module: string): Ctx;
}

export interface EventHubOptions {
  readonly listeners: readonly RegisteredListener[];
  /** What each module has declared to emit. */
  readonly emits: ReadonlyMap<string, ReadonlySet<string>>;
  readonly hasModule: (tenantId: string, alias: string) => MaybePromise<boolean>;
  readonly central: Db;
  readonly log: Log;
}

/** The job that takes one event to one listener. */
export const deliveryJob = 'kernel.deliver';

interface DeliveryData extends Delivery {
  readonly listener: string;
  readonly payload: unknown;
}

const noteEveryMs = 60_000;
const sweepEveryMs = 30_000;

/** Carries events from the module that emits them to those that listen. */
export class EventHub {
  readonly #options: EventHubOptions;
  readonly #inTransaction = new Map<string, RegisteredListener[]>();
  readonly #after = new Map<string, RegisteredListener[]>();
  readonly #noted = new Map<string, number>();
  readonly #draining = new Map<string, { again: boolean; done: Promise<void> }>();
  #jobs: JobQueues | undefined;
  #sweeping: NodeJS.Timeout | undefined;

  constructor(options: EventHubOptions) {
    this.#options = options;
    for (const listener of options.listeners) {
      const table = listener.when === 'in_transaction' ? this.#inTransaction : this.#after;
      table.set(listener.event, [...(table.get(listener.event) ?? []), listener]);
    }
  }

  /** The queue comes later than the hub: its handlers deliver what the hub hands over. */
  connect(jobs: JobQueues): void {
    this.#jobs = jobs;
  }

  /** Runs the listeners within and writes the event down for those after. `true`: there is something to drain. */
  async emit(frame: EmitFrame, name: string, payload: unknown, about: string | undefined): Promise<boolean> {
    const { module, tenant, db } = frame;
    if (!this.#options.emits.get(module)?.has(name)) throw fail('events.not_declared', { module, name });
    const event: OutboxEvent = { id: frame.newId(), name, about, payload, emittedAt: new Date().toISOString() };
    const kept = this.#after.has(name);
    if (kept) {
      await this.#note(tenant);
      await writeOutbox(db, event);
    }
    for (const listener of this.#inTransaction.get(name) ?? []) {
      if (!(await this.#options.hasModule(tenant.id, listener.module))) continue;
      await listener.run(frame.enter(listener.module), payload, event);
    }
    return kept;
  }

  /** Turns what was written down into one task a listener. Calls for one tenant at the same time become one. */
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

  /** Finds, now and from time to time, what a crash between commit and drain has left behind. */
  startSweeping(find: (tenantId: string) => MaybePromise<TenantEntry | undefined>): void {
    const sweep = () =>
      this.sweep(find).catch((error: unknown) =>
        this.#options.log.warn({ err: error }, 'could not sweep the outboxes'),
      );
    void sweep();
    this.#sweeping = setInterval(sweep, sweepEveryMs).unref();
  }

  async sweep(find: (tenantId: string) => MaybePromise<TenantEntry | undefined>): Promise<void> {
    const rows = await this.#options.central.rows<{ tenant_id: string; old: boolean }>(sql`
      SELECT tenant_id, active_at < now() - interval '5 minutes' AS old FROM outbox_activity`);
    for (const { tenant_id, old } of rows) {
      const tenant = await find(tenant_id);
      if (tenant) await this.drain(tenant);
      // A process notes activity once a minute, so a note this old has nothing uncommitted behind it.
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

  /** What a worker does with one event for one listener. */
  handler(inContext: (task: Task, module: string, work: (ctx: Ctx) => Promise<void>) => Promise<void>): JobHandler {
    const byKey = new Map(this.#options.listeners.map((listener) => [keyOf(listener), listener]));
    return {
      queue: 'events',
      retries: [1, 5, 30, 120, 600],
      perform: async (task) => {
        const { listener: key, payload, ...delivery } = task.data as DeliveryData;
        const listener = byKey.get(key);
        if (!listener) {
          this.#options.log.warn({ listener: key }, 'dropped an event for a listener that no module has any more');
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
      (this.#after.get(event.name) ?? []).map((listener, index) => {
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

  /** Says in the central database that this tenant's outbox may hold something; before it does. */
  async #note(tenant: TenantEntry): Promise<void> {
    const now = Date.now();
    if (now - (this.#noted.get(tenant.id) ?? 0) < noteEveryMs) return;
    await this.#options.central.run(sql`
      INSERT INTO outbox_activity (tenant_id) VALUES (${tenant.id})
      ON CONFLICT (tenant_id) DO UPDATE SET active_at = now()`);
    this.#noted.set(tenant.id, now);
  }
}

function keyOf({ module, name }: RegisteredListener): string {
  return `${module}/${name}`;
}

/** The event's id with the listener's number in it: the same task gets the same id however often it is drained. */
function taskId(eventId: string, listener: number): string {
  const tail = (Number.parseInt(eventId.slice(-4), 16) ^ (listener + 1)) & 0xffff;
  return eventId.slice(0, -4) + tail.toString(16).padStart(4, '0');
}
