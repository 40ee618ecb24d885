import { type Db, sql } from '@chowk/kit/kernel';

/**
 * Keeps a task from being in the queues of two rings: the tenant may be assigned to another ring between two attempts to add
 * the task, and the key of pg-boss has the full name of the queue.
 */
export async function makeTaskIdsUnique(central: Db): Promise<void> {
  if (await isDone(central)) return;
  await central.tx(async (tx) => {
    await tx.run(sql`LOCK TABLE pgboss.job_common IN SHARE ROW EXCLUSIVE MODE`);
    if (await isDone(tx)) return;
    await tx.run(sql`
      DELETE FROM pgboss.job_common a USING pgboss.job_common b
      WHERE a.id = b.id AND a.name < b.name AND split_part(a.name, '/', 2) = split_part(b.name, '/', 2)`);
    await tx.run(sql`
      CREATE UNIQUE INDEX chowk_task_id ON pgboss.job_common (id, split_part(name, '/', 2))`);
  });
}

async function isDone(db: Db): Promise<boolean> {
  const index = await db.row<{ exists: boolean }>(
    sql`SELECT to_regclass('pgboss.chowk_task_id') IS NOT NULL AS exists`,
  );
  return index?.exists ?? false;
}
