import type { Ctx } from './context.ts';
import { NamedObject, type Static, type TSchema, Type } from './schema.ts';
import { raw, type Sql, sql } from './sql.ts';

/**
 * A SELECT of the sum of counters, as `total`. Triggers of the counted tables keep them: see `counters` in the tenant
 * schema. Names come from code and are literals, so that PostgreSQL plans the statement once.
 */
export function counter(...names: readonly string[]): Sql {
  const list = raw(names.map((name) => `'${name}'`).join(', '));
  return sql`SELECT coalesce(sum(value), 0)::bigint AS total FROM counters WHERE name IN (${list})`;
}

/** The schema of `readCounters`. */
export function Counts<Name extends TSchema>(title: string, name: Name) {
  const counts = Type.Record(name as never, Type.Integer(), {
    description: 'Has every key, with 0 if there are no records.',
  });
  return NamedObject(title, {
    total: Type.Integer(),
    counts: Type.Unsafe<Record<Static<Name> & string, number>>(counts),
  });
}

/** Reads the counters `<prefix>.<name>`, and their sum. */
export async function readCounters<Name extends string>(
  ctx: Ctx,
  prefix: string,
  names: readonly Name[],
): Promise<{ total: number; counts: Record<Name, number> }> {
  const rows = await ctx.db.rows<{ name: string; value: number }>(sql`
    SELECT name, sum(value)::bigint AS value FROM counters WHERE name ^@ ${`${prefix}.`}::text GROUP BY name`);
  const values = new Map(rows.map(({ name, value }) => [name, value]));
  const counts = names.map((name) => [name, values.get(`${prefix}.${name}`) ?? 0] as const);
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  return { total, counts: Object.fromEntries(counts) as Record<Name, number> };
}
