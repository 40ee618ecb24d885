import type { Ctx } from './context.ts';
import { MoneyInput } from './money.ts';
import { type Static, type TSchema, Type } from './schema.ts';
import { join, type Sql, sql } from './sql.ts';

/** A query parameter of a list: its schema and its condition. */
export interface Filter<Schema extends TSchema = TSchema> {
  readonly schema: Schema;
  where(value: Static<Schema>, ctx: Ctx): Sql | undefined | Promise<Sql | undefined>;
}

/** A filter with what the list must know to choose a good statement. */
export interface TunedFilter<Schema extends TSchema = TSchema> extends Filter<Schema> {
  /** Finds the rows once, for both page and total, because PostgreSQL estimates their number badly. */
  readonly findsOnce?: boolean;
  /** The type of a column that can replace the value, if the condition accepts one. */
  readonly columnType?: 'uuid';
}

export function filter<Schema extends TSchema>(
  schema: Schema,
  where: (value: Static<Schema>, ctx: Ctx) => Sql | undefined | Promise<Sql | undefined>,
): Filter<Schema> {
  return { schema, where };
}

export function tuned<Schema extends TSchema>(
  untuned: Filter<Schema>,
  tuning: Pick<TunedFilter, 'findsOnce' | 'columnType'>,
): Filter<Schema> {
  return { ...untuned, ...tuning };
}

export function equals<Schema extends TSchema>(schema: Schema, column: Sql): Filter<Schema> {
  const { format } = schema as { format?: string };
  const byValue = filter(schema, (value) => sql`${column} = ${value}`);
  return format === 'uuid' ? tuned(byValue, { columnType: 'uuid' }) : byValue;
}

export const minMoney = (column: Sql) => filter(MoneyInput, (amount) => sql`${column} >= ${amount}`);
export const maxMoney = (column: Sql) => filter(MoneyInput, (amount) => sql`${column} <= ${amount}`);

/** `min_price` and `max_price`, for `price`. */
export function moneyBetween<Name extends string>(name: Name, column: Sql) {
  const both = { [`min_${name}`]: minMoney(column), [`max_${name}`]: maxMoney(column) };
  return both as Record<`min_${Name}` | `max_${Name}`, Filter<typeof MoneyInput>>;
}

const TimeOrDay = Type.Union([Type.String({ format: 'date' }), Type.String({ format: 'date-time' })], {
  description: "A time, such as 2026-01-31T09:30:00Z, or a day in the tenant's time zone, such as 2026-01-31.",
  examples: ['2026-01-31'],
});
const isDay = (text: string) => text.length === 10;

/** From a time, or from the beginning of a day in the tenant's time zone. */
export function since(column: Sql): Filter<typeof TimeOrDay> {
  return filter(TimeOrDay, async (text, ctx) => {
    if (!isDay(text)) return sql`${column} >= ${text}::timestamptz`;
    return sql`${column} >= (${text}::date::timestamp AT TIME ZONE ${await timeZone(ctx)})`;
  });
}

/** Up to a time, or to the end of a day in the tenant's time zone. */
export function until(column: Sql): Filter<typeof TimeOrDay> {
  return filter(TimeOrDay, async (text, ctx) => {
    if (!isDay(text)) return sql`${column} <= ${text}::timestamptz`;
    return sql`${column} < ((${text}::date + 1)::timestamp AT TIME ZONE ${await timeZone(ctx)})`;
  });
}

/** `created_from` and `created_to`, for `created`. */
export function between<Name extends string>(name: Name, column: Sql) {
  const both = { [`${name}_from`]: since(column), [`${name}_to`]: until(column) };
  return both as Record<`${Name}_from` | `${Name}_to`, Filter<typeof TimeOrDay>>;
}

async function timeZone(ctx: Ctx): Promise<string> {
  if ('tenantId' in ctx && ctx.tenantId === undefined) return 'UTC';
  return (await ctx.settings())['general.timezone'];
}

const Several = (description: string) =>
  Type.Array(Type.String({ maxLength: 2_600 }), { maxItems: 50, description, examples: [['wholesale', 'pune']] });

/** Rows with all of the tags. */
export function hasTags(column: Sql): Filter<ReturnType<typeof Several>> {
  const byTags = filter(Several('All of these values, separated by commas.'), (texts) => {
    const tags = splitList(texts);
    return tags.length === 0 ? undefined : sql`${column} @> ${tags}::text[]`;
  });
  return tuned(byTags, { findsOnce: true });
}

/** Rows with any of the values. */
export function isIn(allowed: readonly string[], column: Sql): Filter<ReturnType<typeof Several>> {
  const rules = { eachEnum: allowed, examples: [allowed.slice(0, 2)] };
  const schema = { ...Several('Any of these values, separated by commas.'), ...rules } as ReturnType<typeof Several>;
  return filter(schema, (texts) => {
    const values = splitList(texts);
    // With a single value an index can return rows in order.
    return values.length === 1 ? sql`${column} = ${values[0]}` : sql`${column} = ANY(${values}::text[])`;
  });
}

/** Splits repeated and comma-separated values and removes duplicates. */
export function splitList(texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap((text) => text.split(',')).map((text) => text.trim()))].filter(Boolean);
}

/** Each word is an index scan. */
const maxWords = 8;

export function splitWords(text: string): string[] {
  return text.split(/\s+/).filter(Boolean).slice(0, maxWords);
}

/** Too short for a trigram index. */
export function isShortWord(word: string): boolean {
  return [...word].length < 3;
}

/**
 * All words occur in the column, which holds folded text (`fold` in SQL). `once` computes the pattern once and not for each
 * row, at the price of bad row estimates.
 */
export function containsWords(column: Sql, words: readonly string[], { once = false } = {}): Sql[] {
  const computed = (pattern: Sql) => (once ? sql`(SELECT ${pattern})` : pattern);
  return words.map((word) =>
    isShortWord(word)
      ? sql`strpos(${column}, ${computed(sql`fold(${word})`)}) > 0`
      : sql`${column} LIKE ${computed(sql`fold_pattern(${word})`)}`,
  );
}

const SearchText = (description: string) => Type.String({ maxLength: 200, description, examples: ['rice'] });

type Either = (conditions: readonly Sql[]) => Sql;

const either: Either = (conditions) => sql`(${join(conditions, ' OR ')})`;

/**
 * As `OR`, for conditions for which PostgreSQL would scan the whole table. `rows` is a table with its condition:
 * `orders o WHERE o.deleted_at IS NULL`. The array is computed once also while the table has no statistics, as after an
 * import; `IN` would then be computed for each row.
 */
export function eitherByUnion(id: Sql, rows: Sql): Either {
  const select = (condition: Sql) => sql`SELECT ${id} FROM ${rows} AND ${condition}`;
  return (conditions) => sql`${id} = ANY(ARRAY(${join(conditions.map(select), ' UNION ALL ')}))`;
}

/** All words occur in the column, or one of the additional conditions holds. */
export function search(
  description: string,
  column: Sql,
  moreConditions?: (text: string, ctx: Ctx) => Promise<readonly Sql[]>,
  combine = either,
): Filter<ReturnType<typeof SearchText>> {
  const byWords = filter(SearchText(description), async (text, ctx) => {
    const words = splitWords(text);
    if (words.length === 0) return undefined;
    const own = sql`(${join(containsWords(column, words, { once: true }), ' AND ')})`;
    const more = (await moreConditions?.(text, ctx)) ?? [];
    return more.length === 0 ? own : combine([own, ...more]);
  });
  return tuned(byWords, { findsOnce: true });
}
