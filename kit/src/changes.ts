import { isDeepStrictEqual } from 'node:util';

/** The value before and after, by field. */
export type Changes = Readonly<Record<string, readonly [before: unknown, after: unknown]>>;

/** The fields of `after` that differ from `before`. */
export function changesBetween<Value extends object>(before: Value, after: Partial<Value>): Changes {
  const names = Object.keys(after) as (keyof Value & string)[];
  const changed = names.filter((name) => !isDeepStrictEqual(before[name], after[name]));
  return Object.fromEntries(changed.map((name) => [name, [before[name], after[name]] as const]));
}

/** The changes of a deletion: all fields become null. */
export function removedFields(record: object): Changes {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, [value, null] as const]));
}
