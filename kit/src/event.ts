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
 * `within` runs in the transaction that emits: both happen or neither. `after` runs later, at least once, on its own:
 * its failure touches neither the emitter nor other listeners.
 */
export interface Listener {
  readonly event: string;
  readonly when: 'within' | 'after';
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

export const within = listen('within');
export const after = listen('after');
