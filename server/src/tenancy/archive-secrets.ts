import { raw, type Secrets, sql } from '@chowk/kit/kernel';
import type { Connection } from '../db/connection.ts';
import { newSigningSecret } from '../outbound/request-signature.ts';
import { quote, type Rules, type TableRules } from './archive-tables.ts';

interface Change {
  readonly from: string;
  readonly to: string;
  /** Everything with a secret is turned off, so that a copy sends nothing. */
  readonly isCopy: boolean;
}

type SealedRow = Readonly<Record<string, string | null>>;

/**
 * Seals the secrets of a tenant again for its new id. Rows that this installation cannot open, and all of a copy, are turned
 * off or removed. Returns a line for each table with such rows.
 */
export async function resealSecrets(
  connection: Connection,
  secrets: Secrets,
  rules: Rules,
  change: Change,
): Promise<string[]> {
  const reports: string[] = [];
  for (const [table, rule] of rules) {
    if (!rule.sealed) continue;
    const { opened, lost } = await resealTable(connection, secrets, { table, rule, change });
    const off = change.isCopy ? opened + lost : lost;
    if (off === 0) continue;
    const reason =
      lost > 0 ? 'their secrets cannot be opened with the key of this installation' : 'a copy sends nothing';
    reports.push(`${table}: ${off} ${rule.active ? 'turned off' : 'removed'}; ${reason}`);
  }
  return reports;
}

async function resealTable(
  connection: Connection,
  secrets: Secrets,
  { table, rule, change }: { table: string; rule: TableRules; change: Change },
): Promise<{ opened: number; lost: number }> {
  const { field, columns } = rule.sealed as NonNullable<TableRules['sealed']>;
  const [t, key] = [raw(quote(table)), raw(quote(field))];
  const selected = raw(columns.map(quote).join(', '));
  const { rows } = await connection.query<SealedRow>(sql`SELECT ${key}::text AS key, ${selected} FROM ${t}`);
  const counts = { opened: 0, lost: 0 };
  for (const row of rows) {
    const reseal = (sealed: string) => {
      const purpose = `module ${rule.module}`;
      const text = secrets.open(purpose, sealed, `${change.from} ${row.key}`);
      return secrets.seal(purpose, text, `${change.to} ${row.key}`);
    };
    const resealed = tryAll(columns, (column) => (row[column] == null ? null : reseal(row[column])));
    counts[resealed ? 'opened' : 'lost'] += 1;
    const isOff = change.isCopy || !resealed;
    const where = sql`WHERE ${key}::text = ${row.key}`;
    if (isOff && !rule.active) {
      await connection.query(sql`DELETE FROM ${t} ${where}`);
      continue;
    }
    // A secret that nobody knows, in place of one that cannot be opened: the owner creates a new one.
    const unknown = () => secrets.seal(`module ${rule.module}`, newSigningSecret(), `${change.to} ${row.key}`);
    const values = resealed ?? columns.map((column) => (row[column] == null ? null : unknown()));
    for (const [index, column] of columns.entries()) {
      await connection.query(sql`UPDATE ${t} SET ${raw(quote(column))} = ${values[index]} ${where}`);
    }
    if (isOff) await connection.query(sql`UPDATE ${t} SET ${raw(quote(rule.active as string))} = false ${where}`);
  }
  return counts;
}

function tryAll<Item, Result>(items: readonly Item[], work: (item: Item) => Result): Result[] | undefined {
  try {
    return items.map(work);
  } catch {
    return undefined;
  }
}
