import { sql } from '@chowk/kit';
import type { Connection } from '../server/src/db/connection.ts';

interface Column {
  table: string;
  definition: string;
}

/** The tables of a database in words that show up well in a diff: columns, constraints, indexes, triggers. */
export async function schemaDump(connection: Connection): Promise<string> {
  const { rows: columns } = await connection.query<Column>(sql`
    SELECT c.relname AS table,
      format('%I %s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
        CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END,
        coalesce(' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid), '')) AS definition
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
    WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace
    ORDER BY c.relname, a.attnum`);
  const { rows: constraints } = await connection.query<Column>(sql`
    SELECT conrelid::regclass::text AS table, format('CONSTRAINT %I %s', conname, pg_get_constraintdef(oid)) AS definition
    FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype <> 'n' AND conrelid <> 0
    ORDER BY 1, contype DESC, conname`);
  const { rows: indexes } = await connection.query<Column>(sql`
    SELECT tablename AS table, indexdef AS definition FROM pg_indexes i
    WHERE schemaname = 'public' AND NOT EXISTS (SELECT FROM pg_constraint WHERE conname = i.indexname)
    ORDER BY tablename, indexname`);
  const { rows: triggers } = await connection.query<Column>(sql`
    SELECT tgrelid::regclass::text AS table, pg_get_triggerdef(oid) AS definition
    FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1, tgname`);
  const tables = Map.groupBy([...columns, ...constraints], ({ table }) => table);
  const after = Map.groupBy([...indexes, ...triggers], ({ table }) => table);
  const blocks = [...tables].map(([table, parts]) => {
    const body = parts.map(({ definition }) => `  ${definition}`).join(',\n');
    const more = (after.get(table) ?? []).map(({ definition }) => `${definition};\n`).join('');
    return `CREATE TABLE ${table} (\n${body}\n);\n${more}`;
  });
  return `-- Made by 'npm run generate' from the migrations; do not edit.\n\n${blocks.join('\n')}`;
}
