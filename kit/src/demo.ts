import type { DemoShares } from './catalogue.ts';
import type { Ctx } from './context.ts';

/** Returns numbers from 0 up to 1, the same sequence for the same seed. */
export type Random = () => number;

/** One run of `chowkd demo:seed` or of `POST /demo-data`. The same seed generates the same data all day. */
export interface DemoPlan {
  /** The scale of the shop: the number of records of its largest master table. */
  readonly size: number;
  /** The beginning of the day in milliseconds since 1970. No generated time is later. */
  readonly today: number;
  /** A separate stream of numbers for each name and number. */
  random(name: string, number?: number): Random;
  /** The shared data of another module's demo; `undefined` if the tenant does not have the module. */
  shared<Alias extends keyof DemoShares & string>(alias: Alias): DemoShares[Alias] | undefined;
}

/** Generates demo data for the module's own tables. */
export interface Demo<Share = unknown> {
  /** Aliases of the modules whose demos write before this one, if the tenant has them. */
  readonly after?: readonly string[];
  /** Whether the tenant has no records of the module yet. `POST /demo-data` is for tenants where this holds for all modules. */
  isEmpty?(ctx: Ctx): Promise<boolean>;
  /** Data for other demos, such as ids. Called once, before anything is written. */
  share?(plan: DemoPlan): Share;
  /** Writes with `fillTables`, in one transaction for all modules. */
  fill(ctx: Ctx, plan: DemoPlan): Promise<void>;
}

type Records = readonly Readonly<Record<string, unknown>>[];

/** Copies records into tables, in order. All records of a table have the fields of its first one. */
export async function fillTables(ctx: Ctx, tables: Readonly<Record<string, Records>>): Promise<void> {
  for (const [table, records] of Object.entries(tables)) {
    const columns = Object.keys(records[0] ?? {});
    const rows = records.values().map((record) => columns.map((name) => record[name]));
    if (records.length > 0) await ctx.db.copy(table, columns, rows);
  }
}

/** Bounds the memory in use, however many records are generated. */
const batchSize = 5_000;

/** The numbers from 0 up to `count`, in batches. */
export function* batches(count: number): Generator<number[]> {
  for (let from = 0; from < count; from += batchSize) {
    yield Array.from({ length: Math.min(batchSize, count - from) }, (_, index) => from + index);
  }
}

/** Counts, sums and times of numbered records, in 32 bytes a record. For a demo that shares totals with another. */
export class DemoTotals {
  readonly #values: Float64Array;

  constructor(size: number) {
    this.#values = new Float64Array(4 * size);
  }

  /** Adds an amount to a record. Calls must come in the order of time. */
  add(record: number, amount: number, time: number): void {
    const { count, sum, firstTime } = this.get(record);
    this.#values.set([count + 1, sum + amount, firstTime || time, time], 4 * record);
  }

  get(record: number) {
    const [count = 0, sum = 0, firstTime = 0, lastTime = 0] = this.#values.subarray(4 * record, 4 * record + 4);
    return { count, sum, firstTime, lastTime };
  }
}

const hexDigits = Buffer.from('0123456789abcdef');
const uuid = Buffer.from('xxxxxxxx-xxxx-7xxx-xxxx-xxxxxxxxxxxx');

/** A UUIDv7 for a time in milliseconds since 1970. Written digit by digit for speed. */
export function demoId(time: number, random: Random): string {
  writeHex(0, 8, time / 2 ** 16);
  writeHex(9, 4, time);
  const bits = random() * 2 ** 32;
  writeHex(15, 3, bits);
  writeHex(19, 4, 0x8000 | ((bits >>> 12) & 0x3fff));
  writeHex(24, 6, random() * 2 ** 32);
  writeHex(30, 6, random() * 2 ** 32);
  return uuid.toString('latin1');
}

/** Writes the last digits of a number. */
function writeHex(from: number, digits: number, number: number): void {
  let rest = number;
  for (let index = from + digits - 1; index >= from; index -= 1) {
    uuid[index] = hexDigits[rest & 15] as number;
    rest >>>= 4;
  }
}

/** One of the values, all equally likely. */
export function pick<Value>(random: Random, values: readonly Value[]): Value {
  return values[(random() * values.length) | 0] as Value;
}

/** One of the keys, as likely as its share of the sum of all shares. */
export function pickByShare<Key extends string>(random: Random, shares: Readonly<Partial<Record<Key, number>>>): Key {
  const entries = Object.entries<number | undefined>(shares) as [Key, number][];
  let rest = random() * entries.reduce((sum, [, share]) => sum + share, 0);
  const chosen = entries.find(([, share]) => {
    rest -= share;
    return rest < 0;
  });
  return (chosen ?? (entries.at(-1) as [Key, number]))[0];
}
