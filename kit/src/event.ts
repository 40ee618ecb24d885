import type { Events } from './catalogue.ts';
import type { Ctx } from './context.ts';
import type { Static, TSchema } from './schema.ts';
import type { Sql } from './sql.ts';

/** An event that a module emits. */
export interface EventDefinition<Payload = unknown> {
  /** A sentence in the past tense: `An order was created`. */
  readonly summary: string;
  readonly payload: TSchema;
  /** The id of the record that the event is about. A listener gets the events with the same subject in order. */
  subject?(payload: Payload): string | undefined;
  /** The field of GraphQL's `Subscription` for the event. It needs a permission. */
  readonly graphql?: string;
  /** The permission that those need who get the event over a subscription, a rule or a webhook. */
  readonly needs?: string;
  /** Only for listeners of modules: no rule, webhook or reader of the event log gets it. */
  readonly internal?: true;
  /** The only user who gets the event, over GraphQL. Listeners get it by its name, not by a pattern. */
  recipient?(payload: Payload): number;
  /** The payload as a subscriber may see it. Default: as it was emitted. */
  mask?(ctx: Ctx, payload: Payload): Payload;
}

export interface TypedEvent<Payload extends TSchema> extends EventDefinition {
  readonly payload: Payload;
}

/** Declares an event. The module lists its events by name in `defineModule({ events })`. */
export function defineEvent<Payload extends TSchema>(
  definition: EventDefinition<Static<Payload>> & { readonly payload: Payload },
): TypedEvent<Payload> {
  return definition as unknown as TypedEvent<Payload>;
}

export type EventTypes<Table> = {
  [Name in keyof Table]: Table[Name] extends TypedEvent<infer Payload> ? Static<Payload> : never;
};

export interface Delivery {
  /** The event's id. An event may be delivered twice; a listener that must not act twice stores the id. */
  readonly id: string;
  readonly name: string;
  readonly emittedAt: string;
  /** The version of the module that emitted the event; `undefined` if it is not known. */
  readonly version?: string | undefined;
}

/**
 * `inTransaction` listeners run in the emitter's transaction and commit or roll back with it. `afterCommit` listeners run in
 * the background, at least once; their failures affect neither the emitter nor other listeners.
 */
export interface Listener {
  /** The name of an event, or a pattern: `order.*` for all that begin with `order.`, `*` for all. */
  readonly event: string;
  readonly when: 'in_transaction' | 'after_commit';
  /** Unique among the listeners of a module. Events that wait for a listener are lost to it when it is renamed. */
  readonly name: string;
  /**
   * Only `after_commit`: a condition on the tenant's database. While it does not hold, events of the name are not stored for
   * the listener and cost almost nothing.
   */
  onlyIf?(event: string): Sql;
  run(ctx: Ctx, payload: unknown, delivery: Delivery): Promise<void>;
}

type EventName = keyof Events & string;

/** The names of the events that a name or a pattern matches. */
type Matching<Pattern extends string> = Pattern extends '*'
  ? EventName
  : Pattern extends `${infer Prefix}.*`
    ? Extract<EventName, `${Prefix}.${string}`>
    : Extract<EventName, Pattern>;

function listen(when: Listener['when']) {
  return <Pattern extends EventName | '*' | `${string}.*`>(
    event: Pattern,
    name: string,
    run: (ctx: Ctx, payload: Events[Matching<Pattern>], delivery: Delivery) => Promise<void>,
    options: Pick<Listener, 'onlyIf'> = {},
  ): Listener => ({ event, when, name, run: run as Listener['run'], ...options });
}

export const inTransaction = listen('in_transaction');
export const afterCommit = listen('after_commit');

/** Whether a listener's name or pattern matches an event. */
export function matchesEvent(pattern: string, name: string): boolean {
  if (pattern === '*') return true;
  return pattern.endsWith('.*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}
