import {
  type Ctx,
  type Db,
  type DeclaredEvent,
  type EventDefinition,
  type Listener,
  matchesEvent,
  sql,
} from '@chowk/kit/kernel';
import { fail } from '../errors.ts';
import { getValidator } from '../schemas/validation.ts';
import { sensitiveFieldsIn } from '../sensitive-fields.ts';
import type { TenantEntry } from '../tenancy/directory.ts';
import { type Event, writeEvents } from './outbox.ts';

export interface RegisteredListener extends Listener {
  readonly module: string;
  /** Only `after_commit`: whether the event is stored for the listener. */
  readonly hasSubscriber?: (tenantId: string, event: string) => boolean;
}

/** The emitting call. */
export interface EmitFrame {
  readonly module: string;
  readonly tenant: TenantEntry;
  /** The emitting transaction. */
  readonly db: Db;
  newId(): string;
  /** Events are being written. Gets the number of those for listeners. */
  onWrite(deliveries: Promise<number>): void;
  /** The context of another module in the same transaction. */
  contextFor(module: string): Ctx;
}

export interface EventHubOptions {
  readonly listeners: readonly RegisteredListener[];
  /** The events of each module, by alias and name. */
  readonly events: ReadonlyMap<string, Readonly<Record<string, EventDefinition>>>;
  /** The version of each module, by alias. */
  readonly versions: ReadonlyMap<string, string>;
  readonly installations: { has(tenantId: string, alias: string): Promise<boolean> | boolean };
  readonly central: Db;
  /** Whether payloads are compared with their schemas. */
  readonly validates: boolean;
}

interface Listeners {
  readonly inTransaction: readonly RegisteredListener[];
  readonly afterCommit: readonly RegisteredListener[];
}

const recordActivityEveryMs = 60_000;

export interface RegisteredEvent extends DeclaredEvent {
  readonly module: string;
}

/** Runs `inTransaction` listeners, and writes events to the tenant's log and to its outbox for `afterCommit` listeners. */
export class EventHub {
  readonly #options: EventHubOptions;
  /** The public events of all modules, by name: not those for modules or for one user only. */
  readonly declared: Readonly<Record<string, RegisteredEvent>>;
  readonly #listeners: ReadonlyMap<string, Listeners>;
  /** When this process last recorded activity of a tenant. */
  readonly #recordedAt = new Map<string, number>();

  constructor(options: EventHubOptions) {
    this.#options = options;
    const events = [...options.events.values()].flatMap((own) => Object.entries(own));
    this.declared = Object.fromEntries([...options.events].flatMap(([module, own]) => registerEvents(module, own)));
    this.#listeners = new Map(events.map(([name, event]) => [name, listenersTo(name, event, options.listeners)]));
  }

  /** Runs listeners in the transaction, and writes the events for the others and for the log. */
  async emit(frame: EmitFrame, name: string, payloads: readonly unknown[]): Promise<void> {
    const { module, tenant, db } = frame;
    const definition = this.getDefinition(module, name);
    if (payloads.length === 0) return;
    if (this.#options.validates) checkPayloads(name, definition, payloads);
    const emittedAt = new Date().toISOString();
    const version = this.#options.versions.get(module) as string;
    const events = payloads.map((payload): Event => {
      const subject = definition.subject?.(payload);
      return { id: frame.newId(), name, subject, payload, emittedAt, version };
    });
    const { inTransaction, afterCommit } = this.#listeners.get(name) as Listeners;
    const active = afterCommit.filter(({ hasSubscriber }) => hasSubscriber?.(tenant.id, name) ?? true);
    const later = await this.#enabled(tenant, active);
    if (later.length > 0) await this.recordActivity(tenant.id);
    const recipients = later.map((listener) => ({ key: listenerKey(listener), onlyIf: listener.onlyIf?.(name) }));
    // Not awaited: the transaction waits for it, and fails if it fails.
    frame.onWrite(writeEvents(db, events, { recipients, isLogged: isPublicEvent(definition) }).catch(() => 0));
    const now = await this.#enabled(tenant, inTransaction);
    for (const event of events) {
      for (const listener of now) await listener.run(frame.contextFor(listener.module), event.payload, event);
    }
  }

  /** Throws if the module does not declare the event. */
  getDefinition(module: string, name: string): EventDefinition {
    const definition = this.#options.events.get(module)?.[name];
    if (!definition) throw fail('events.not_declared', { module, name });
    return definition;
  }

  /** Records in the central database, before the first write, that the tenant's outbox may hold work. */
  async recordActivity(tenantId: string): Promise<void> {
    const now = Date.now();
    if (now - (this.#recordedAt.get(tenantId) ?? 0) < recordActivityEveryMs) return;
    await this.#options.central.run(sql`
      INSERT INTO outbox_activity (tenant_id) VALUES (${tenantId})
      ON CONFLICT (tenant_id) DO UPDATE SET active_at = now()`);
    this.#recordedAt.set(tenantId, now);
  }

  async #enabled(tenant: TenantEntry, listeners: readonly RegisteredListener[]): Promise<RegisteredListener[]> {
    const enabled: RegisteredListener[] = [];
    for (const listener of listeners) {
      const isEnabled = this.#options.installations.has(tenant.id, listener.module);
      if (typeof isEnabled === 'boolean' ? isEnabled : await isEnabled) enabled.push(listener);
    }
    return enabled;
  }
}

/** Whether rules, webhooks and readers of the event log may get it. */
export function isPublicEvent({ internal, recipient }: EventDefinition): boolean {
  return !internal && !recipient;
}

function registerEvents(
  module: string,
  events: Readonly<Record<string, EventDefinition>>,
): (readonly [string, RegisteredEvent])[] {
  return Object.entries(events)
    .filter(([, event]) => isPublicEvent(event))
    .map(([name, event]) => [name, { ...event, module, sensitiveFields: sensitiveFieldsIn(event.payload) }]);
}

function listenersTo(
  name: string,
  { recipient }: EventDefinition,
  listeners: readonly RegisteredListener[],
): Listeners {
  const matching = listeners.filter(({ event, hasSubscriber }) =>
    recipient && !hasSubscriber ? event === name : matchesEvent(event, name),
  );
  return {
    inTransaction: matching.filter(({ when }) => when === 'in_transaction'),
    afterCommit: matching.filter(({ when }) => when === 'after_commit'),
  };
}

function checkPayloads(name: string, { payload: schema }: EventDefinition, payloads: readonly unknown[]): void {
  for (const payload of payloads) {
    // The payload as a listener in another process gets it.
    const errors = getValidator(schema)(JSON.parse(JSON.stringify(payload)));
    if (errors) throw new Error(`the payload of ${name} does not match its schema: ${JSON.stringify(errors)}`);
  }
}

/** Identifies a listener in the outbox. */
export function listenerKey({ module, name }: RegisteredListener): string {
  return `${module}/${name}`;
}
