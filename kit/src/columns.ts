import type { TObject, TProperties } from './schema.ts';
import { join, raw, type Sql, sql } from './sql.ts';

/**
 * The columns of a SELECT that answers a schema, each from the column of the same name; amounts are text, also in JSON.
 * `others` says what is not just a column: in JSON that the SELECT builds, write times with `iso()`.
 */
export function columnsFor(schema: TObject, alias: Sql, others: Readonly<Record<string, Sql>> = {}): Sql {
  const columns = Object.entries(schema.properties).map(([name, field]) => {
    const own = sql`${alias}.${identifier(name)}`;
    return sql`${others[name] ?? asText(own, field)} AS ${identifier(name)}`;
  });
  return join(columns);
}

/** The names of a schema's fields as columns: `INSERT INTO products (${names})`. */
export function namesOf(schema: TObject, alias?: Sql): Sql {
  const names = Object.keys(schema.properties).map(identifier);
  return join(alias ? names.map((name) => sql`${alias}.${name}`) : names);
}

/** The schema's fields of a record that has more. */
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
  const { anyOf, ...own } = field as Field;
  const { pattern } = anyOf?.[0] ?? own;
  return pattern === moneyPattern ? sql`${column}::text` : column;
}

const moneyPattern = '^\\d+\\.\\d{2}$';

/** A name that stands in our code, never in an input. */
function identifier(name: string): Sql {
  return raw(`"${name}"`);
}
