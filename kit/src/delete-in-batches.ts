import type { Db } from './database.ts';
import { type Sql, sql } from './sql.ts';

const batchSize = 1_000;

/**
 * Deletes the rows of a table in short transactions and returns their number, so that a large deletion blocks no other work. Rows
 * that another transaction has locked stay for the next run.
 */
export async function deleteInBatches(db: Db, table: Sql, condition: Sql): Promise<number> {
  let total = 0;
  for (let deleted = batchSize; deleted === batchSize; total += deleted) {
    deleted = await db.run(sql`
      DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM ${table} WHERE ${condition} LIMIT ${batchSize} FOR UPDATE SKIP LOCKED))`);
  }
  return total;
}
