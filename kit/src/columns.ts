import type { Ctx } from './context.ts';
import { Money, type TObject, type TProperties } from './schema.ts';
import { join, raw, type Sql, sql } from './sql.ts';

/**
 * The columns of a SELECT that returns a schema's fields; amounts are text, also in JSON. `expressions` replaces columns
 * that are not simply the field; times inside JSON need `iso()`.
 */
export function columnsFor(schema: TObject, alias: Sql, expressions: Readonly<Record<string, Sql>> = {}): Sql {
  const columns = Object.entries(schema.properties).map(([name, field]) => {
    const column = sql`${alias}.${identifier(name)}`;
    return sql`${expressions[name] ?? asText(column, field)} AS ${identifier(name)}`;
  });
  return join(columns);
}

/** The names of a schema's fields as columns: `INSERT INTO products (${names})`. */
export function columnNames(schema: TObject, alias?: Sql): Sql {
  const names = Object.keys(schema.properties).map(identifier);
  return join(alias ? names.map((name) => sql`${alias}.${name}`) : names);
}

/** The fields of a record as assignments: `UPDATE customers SET ${assignments(fields)}`. Absent fields are left out. */
export function assignments(fields: object): Sql {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return join(present.map(([name, value]) => sql`${identifier(name)} = ${value}`));
}

/** Inserts records into a table without generated columns; fields that are absent are NULL. */
export async function insertRecords(ctx: Ctx, table: string, records: readonly object[]): Promise<void> {
  const name = identifier(table);
  await ctx.db.run(sql`
    INSERT INTO ${name} SELECT * FROM jsonb_populate_recordset(NULL::${name}, ${JSON.stringify(records)}::jsonb)`);
}

/** The schema's fields of a record. */
export function pickFields<Properties extends TProperties, Value extends { [Name in keyof Properties]: unknown }>(
  schema: TObject<Properties>,
  record: Value,
): Pick<Value, keyof Properties> {
  const names = Object.keys(schema.properties) as (keyof Properties)[];
  return Object.fromEntries(names.map((name) => [name, record[name]])) as Pick<Value, keyof Properties>;
}

interface Field {
  readonly pattern?: string;
  readonly anyOf?: readonly Field[];
}

function asText(column: Sql, field: object): Sql {
  const { anyOf, pattern: ownPattern } = field as Field;
  const pattern = anyOf?.[0]?.pattern ?? ownPattern;
  return pattern === (Money as Field).pattern ? moneyText(column) : column;
}

/** Two decimals, or three if the third is not 0. */
function moneyText(column: Sql): Sql {
  return sql`round(${column}, greatest(2, min_scale(${column})))::text`;
}

/** For names from code only, never from an input. */
export function identifier(name: string): Sql {
  return raw(`"${name}"`);
}
