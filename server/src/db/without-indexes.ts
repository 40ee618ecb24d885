import { type Db, raw, sql } from '@chowk/kit/kernel';

const sortMemory = sql`SET LOCAL maintenance_work_mem = '256MB'`;

interface IndexOrConstraint {
  readonly drop: string;
  readonly create: string;
}

/**
 * Drops the foreign keys and indexes of those tables that are empty, except primary and unique keys, runs `work` and creates
 * them again, which is faster than updating them for every row. The tables are locked until the transaction ends.
 */
export async function withoutIndexes(tx: Db, tables: readonly string[], work: () => Promise<void>): Promise<void> {
  const dropped: IndexOrConstraint[] = [];
  for (const table of tables) if (await isEmpty(tx, table)) dropped.push(...(await findDroppable(tx, table)));
  for (const { drop } of dropped) await tx.run(raw(drop));
  await work();
  await tx.run(sortMemory);
  for (const { create } of dropped) await tx.run(raw(create));
}

async function isEmpty(tx: Db, table: string): Promise<boolean> {
  return (await tx.row(sql`SELECT FROM ${raw(`"${table}"`)} LIMIT 1`)) === undefined;
}

function findDroppable(tx: Db, table: string): Promise<IndexOrConstraint[]> {
  return tx.rows<IndexOrConstraint>(sql`
    SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS drop,
      format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS create
    FROM pg_constraint WHERE contype = 'f' AND conrelid = ${table}::regclass
    UNION ALL
    SELECT format('DROP INDEX %s', indexrelid::regclass), pg_get_indexdef(indexrelid)
    FROM pg_index i WHERE indrelid = ${table}::regclass
      AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = i.indexrelid)`);
}
