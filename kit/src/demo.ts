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
  /** Writes with `fillTable`, in the transaction that all modules share; the rows are counted on their way. */
  fill(ctx: Ctx, plan: DemoPlan): Promise<void>;
}

/** Puts records into a table; each has the fields of the first. */
export async function fillTable(ctx: Ctx, table: string, records: readonly Readonly<Record<string, unknown>>[]) {
  const columns = Object.keys(records[0] ?? {});
  const rows = records.values().map((record) => columns.map((name) => record[name]));
  if (records.length > 0) await ctx.db.copy(table, columns, rows);
}

const hexDigits = Buffer.from('0123456789abcdef');
const dashed = Buffer.from('xxxxxxxx-xxxx-7xxx-xxxx-xxxxxxxxxxxx');

/** A UUIDv7 of a moment in milliseconds since 1970. Written digit by digit, because millions are made. */
export function demoId(at: number, random: Random): string {
  write(0, 8, at / 2 ** 16);
  write(9, 4, at);
  const bits = random() * 2 ** 32;
  write(15, 3, bits);
  write(19, 4, 0x8000 | ((bits >>> 12) & 0x3fff));
  write(24, 6, random() * 2 ** 32);
  write(30, 6, random() * 2 ** 32);
  return dashed.toString('latin1');
}

/** The last digits of a number. */
function write(from: number, digits: number, number: number): void {
  let rest = number;
  for (let at = from + digits - 1; at >= from; at -= 1) {
    dashed[at] = hexDigits[rest & 15] as number;
    rest >>>= 4;
  }
}

/** One of them. */
export function pick<Value>(random: Random, values: readonly Value[]): Value {
  return values[(random() * values.length) | 0] as Value;
}
