import type { Ctx } from './context.ts';

/** Something to sell, as orders write it. */
export interface DemoProduct {
  readonly sku: string;
  readonly title: string;
  /** In hundredths. */
  readonly price: number;
}

export interface DemoOrder {
  /** In hundredths. */
  readonly total: number;
  /** In milliseconds since 1970, in whole seconds. */
  readonly placedAt: number;
}

/** What a customer's orders add up to. */
export interface DemoStatistics {
  readonly orders: number;
  /** In hundredths. */
  readonly spent: number;
  /** In milliseconds since 1970; 0 without orders. */
  readonly firstAt: number;
  readonly lastAt: number;
}

/** Numbers from 0 up to 1, always the same. */
export type Random = () => number;

/**
 * What all modules have to agree on when `chowkd demo:seed` fills a tenant: customers are numbers from 0, in the order in
 * which they came, and whatever is asked of a plan is the same for the same seed on the same day.
 */
export interface DemoPlan {
  /** How many customers there are to be. */
  readonly customers: number;
  /** The beginning of the day, in milliseconds since 1970: nothing that is made up is later. */
  readonly today: number;
  /** A stream of numbers of its own for each name. */
  random(name: string): Random;
  /** They ascend with `n`, and their time is `joinedAt(n)`. */
  customerId(n: number): string;
  /** In milliseconds since 1970. */
  joinedAt(n: number): number;
  /** What can be ordered; who has a catalogue adds to it. */
  readonly products: DemoProduct[];
  /** Tells of an order that counts, so that the customer can be written with what its orders add up to. */
  note(n: number, order: DemoOrder): void;
  statistics(n: number): DemoStatistics;
}

/** How a module fills its own tables, and no other, with data that is made up. */
export interface Demo {
  /** Modules that must be done before, if the tenant has them: what they tell the plan is needed here. */
  readonly after?: readonly string[];
  /** Writes with `ctx.db.copy`, in the transaction that all modules share; the rows are counted on their way. */
  fill(ctx: Ctx, plan: DemoPlan): Promise<void>;
}

const hex = Array.from({ length: 65_536 }, (_, number) => number.toString(16).padStart(4, '0'));
const below = (random: Random, limit: number) => (random() * limit) | 0;

/** A UUIDv7 of a moment in milliseconds since 1970. */
export function demoId(at: number, random: Random): string {
  const time = `${hex[(at / 2 ** 32) & 0xffff]}${hex[(at / 2 ** 16) & 0xffff]}-${hex[at & 0xffff]}`;
  const marked = `${hex[0x7000 | below(random, 0x1000)]}-${hex[0x8000 | below(random, 0x4000)]}`;
  return `${time}-${marked}-${hex[below(random, 65_536)]}${hex[below(random, 65_536)]}${hex[below(random, 65_536)]}`;
}

/** One of them. */
export function pick<Value>(random: Random, values: readonly Value[]): Value {
  return values[(random() * values.length) | 0] as Value;
}
