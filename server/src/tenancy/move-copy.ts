import { sql } from '@chowk/kit/kernel';
import type { Connection } from '../db/connection.ts';
import { listTables } from './move-schema.ts';

/** Copies all rows into a database with the same tables. Nobody may write to the source meanwhile. */
export async function copyTables(
  source: Connection,
  target: Connection,
  onProgress: (done: number, total: number) => void,
): Promise<void> {
  const tables = await listTables(source);
  await target.script('BEGIN');
  const foreignKeys = await dropForeignKeys(target);
  await target.script(`TRUNCATE ${tables.join(', ')}`);
  for (const [index, table] of tables.entries()) {
    onProgress(index, tables.length);
    const columns = (await listColumns(source, table)).join(', ');
    // Triggers have done their work on the source.
    await target.script(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
    const rows = source.copyOut(`COPY ${table} (${columns}) TO STDOUT`);
    await target.copy(`COPY ${table} (${columns}) FROM STDIN`, rows);
    await target.script(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
  }
  for (const definition of foreignKeys) await target.script(definition);
  await target.script('COMMIT');
  onProgress(tables.length, tables.length);
}

/** Returns the statements that add them again. */
async function dropForeignKeys(connection: Connection): Promise<string[]> {
  const { rows } = await connection.query<{ drop: string; add: string }>(sql`
    SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS drop,
      format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS add
    FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace`);
  for (const { drop } of rows) await connection.script(drop);
  return rows.map(({ add }) => add);
}

/** Generated columns cannot be copied. */
async function listColumns(connection: Connection, table: string): Promise<string[]> {
  const { rows } = await connection.query<{ name: string }>(sql`
    SELECT format('%I', attname) AS name FROM pg_attribute
    WHERE attrelid = ${table}::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum`);
  return rows.map(({ name }) => name);
}
