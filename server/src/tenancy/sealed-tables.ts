import { type Db, join, raw, type Secrets, sql } from '@chowk/kit/kernel';
import { quote } from './archive-tables.ts';

/** A table with columns that the platform encrypts. */
export interface SealedTable {
  readonly table: string;
  readonly columns: readonly string[];
  /** The SQL expression that identifies a row and is part of the context of its secrets. */
  readonly field: string;
  readonly purpose: string;
  /** Precedes the field in the context. */
  readonly scope: string;
}

/** How many values are encrypted with a key. */
export interface KeyUse {
  readonly table: string;
  readonly keyId: string;
  readonly count: number;
}

export interface Reencrypted {
  readonly table: string;
  readonly done: number;
  /** Values that no key of this process opens. */
  readonly lost: number;
}

const batchSize = 500;
const keyId = (column: string) => sql`split_part(${raw(quote(column))}, '.', 2)`;

/** Counts the encrypted values of a database by key. Tables that the database does not have are left out. */
export async function countKeyUses(db: Db, tables: readonly SealedTable[]): Promise<KeyUse[]> {
  const counts = (await existing(db, tables)).flatMap(({ table, columns }) =>
    columns.map(
      (column) => sql`
        SELECT ${table}::text AS table, ${keyId(column)} AS "keyId", count(*)::int AS count FROM ${raw(quote(table))}
        WHERE ${raw(quote(column))} IS NOT NULL GROUP BY 2`,
    ),
  );
  return counts.length === 0 ? [] : db.rows<KeyUse>(join(counts, ' UNION ALL '));
}

/** Encrypts all values of a database with the current key. Can be interrupted and repeated. */
export async function reencryptTables(
  db: Db,
  tables: readonly SealedTable[],
  secrets: Secrets,
  currentKey: string,
): Promise<Reencrypted[]> {
  const results: Reencrypted[] = [];
  for (const table of await existing(db, tables)) {
    const result = { table: table.table, done: 0, lost: 0 };
    for (let after = ''; ; ) {
      const rows = await readBatch(db, table, currentKey, after);
      for (const row of rows) {
        const { done, lost } = await reencryptRow(db, table, row, secrets, currentKey);
        result.done += done;
        result.lost += lost;
      }
      if (rows.length < batchSize) break;
      after = rows.at(-1)?.field ?? '';
    }
    results.push(result);
  }
  return results;
}

type Row = Readonly<Record<string, string | null>> & { readonly field: string };

async function existing(db: Db, tables: readonly SealedTable[]): Promise<SealedTable[]> {
  const rows = await db.rows<{ name: string }>(sql`
    SELECT name FROM unnest(${tables.map(({ table }) => table)}::text[]) AS name WHERE to_regclass(quote_ident(name)) IS NOT NULL`);
  const names = new Set(rows.map(({ name }) => name));
  return tables.filter(({ table }) => names.has(table));
}

function readBatch(db: Db, { table, columns, field }: SealedTable, currentKey: string, after: string): Promise<Row[]> {
  const isOld = columns.map((column) => sql`${keyId(column)} <> ${currentKey}`);
  return db.rows<Row>(sql`
    SELECT (${raw(field)})::text AS field, ${raw(columns.map(quote).join(', '))} FROM ${raw(quote(table))}
    WHERE (${join(isOld, ' OR ')}) AND (${raw(field)})::text COLLATE "C" > ${after}
    ORDER BY (${raw(field)})::text COLLATE "C" LIMIT ${batchSize}`);
}

async function reencryptRow(db: Db, sealed: SealedTable, row: Row, secrets: Secrets, currentKey: string) {
  const counts = { done: 0, lost: 0 };
  for (const column of sealed.columns) {
    const old = row[column];
    if (old == null || old.split('.')[1] === currentKey) continue;
    const text = reencrypt(secrets, old, { purpose: sealed.purpose, context: `${sealed.scope}${row.field}` });
    counts[text === undefined ? 'lost' : 'done'] += 1;
    if (text === undefined) continue;
    // The condition on the old value leaves a secret alone that has been replaced meanwhile.
    const name = raw(quote(column));
    await db.run(sql`
      UPDATE ${raw(quote(sealed.table))} SET ${name} = ${text} WHERE (${raw(sealed.field)})::text = ${row.field} AND ${name} = ${old}`);
  }
  return counts;
}

/** The text, encrypted with the current key; `undefined` if no key of this process opens it. */
export function reencrypt(
  secrets: Secrets,
  sealed: string,
  { purpose, context }: { readonly purpose: string; readonly context: string },
): string | undefined {
  try {
    return secrets.seal(purpose, secrets.open(purpose, sealed, context), context);
  } catch {
    return undefined;
  }
}
