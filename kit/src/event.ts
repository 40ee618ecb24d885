import type { Events } from './catalogue.ts';
import type { Ctx } from './context.ts';

export interface Delivery {
  /** The event's id. An event may be delivered twice; a listener that must not act twice stores the id. */
  readonly id: string;
  readonly name: string;
  readonly emittedAt: string;
}

/**
 * `inTransaction` listeners run in the emitter's transaction and commit or roll back with it. `afterCommit` listeners run in
 * the background, at least once; their failures affect neither the emitter nor other listeners.
 */
export interface Listener {
  readonly event: string;
  readonly when: 'in_transaction' | 'after_commit';
  /** Unique among the listeners of a module to one event. */
  readonly name: string;
  run(ctx: Ctx, payload: unknown, delivery: Delivery): Promise<void>;
}

function listen(when: Listener['when']) {
  return <Name extends keyof Events & string>(
    event: Name,
    name: string,
    run: (ctx: Ctx, payload: Events[Name], delivery: Delivery) => Promise<void>,
  ): Listener => ({ event, when, name, run: run as Listener['run'] });
}

export const inTransaction = listen('in_transaction');
export const afterCommit = listen('after_commit');
