import type { Events } from './catalogue.ts';
import type { Ctx } from './context.ts';

/** What a listener is told besides the payload. */
export interface Delivery {
  /** The event's id. The same event may come twice: a listener that must not act twice remembers it. */
  readonly id: string;
  readonly name: string;
  readonly emittedAt: string;
}

/**
 * `inTransaction` listeners run in the emitter's transaction: both commit or neither. `afterCommit` listeners run in the
 * background, at least once; their failure affects neither the emitter nor other listeners.
 */
export interface Listener {
  readonly event: string;
  readonly when: 'in_transaction' | 'after_commit';
  /** Tells apart two listeners of one module to one event; also its name in lists. */
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
