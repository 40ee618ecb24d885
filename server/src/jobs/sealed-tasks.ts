import { type Db, raw, type Secrets, sql } from '@chowk/kit/kernel';
import { type KeyUse, type Reencrypted, reencrypt } from '../tenancy/sealed-tables.ts';
import type { Task } from './task.ts';

/** Where tasks wait: in the queues of the central database, or in a tenant's database until they are moved there. */
export interface TaskTable {
  readonly name: string;
  readonly column: string;
  readonly where: string;
}

export const queuedTasks: TaskTable = {
  name: 'pgboss.job',
  column: 'data',
  where: "state IN ('created', 'retry', 'active')",
};
export const addedTasks: TaskTable = { name: 'added_jobs', column: 'task', where: 'true' };

const isSealed = /^v1\.([0-9a-f]{8})\./;

/** Counts the encrypted texts in the data of tasks by key. */
export async function countTaskKeyUses(db: Db, table: TaskTable): Promise<KeyUse[]> {
  const ids = (await readTasks(db, table)).flatMap(({ task }) => sealedTexts(task).map(({ keyId }) => keyId));
  return [...Map.groupBy(ids, (id) => id)].map(([keyId, all]) => ({ table: table.name, keyId, count: all.length }));
}

/** Encrypts the texts in the data of tasks with the current key. */
export async function reencryptTasks(
  db: Db,
  table: TaskTable,
  secrets: Secrets,
  currentKey: string,
): Promise<Reencrypted> {
  const result = { table: table.name, done: 0, lost: 0 };
  for (const { id, task } of await readTasks(db, table)) {
    for (const { name, text, keyId } of sealedTexts(task)) {
      if (keyId === currentKey) continue;
      const changed = reencrypt(secrets, text, sealedFor(task, name));
      result[changed === undefined ? 'lost' : 'done'] += 1;
      if (changed === undefined) continue;
      const column = raw(table.column);
      await db.run(sql`
        UPDATE ${raw(table.name)} SET ${column} = jsonb_set(${column}, ARRAY['data', ${name}::text], to_jsonb(${changed}::text))
        WHERE id = ${id} AND ${column}->'data'->>${name}::text = ${text}`);
    }
  }
  return result;
}

/** The tasks with encrypted texts. */
async function readTasks(db: Db, { name, column, where }: TaskTable): Promise<{ id: string; task: Task }[]> {
  const found = await db.row<{ found: boolean }>(sql`SELECT to_regclass(${name}) IS NOT NULL AS found`);
  if (!found?.found) return [];
  return db.rows(sql`
    SELECT id, ${raw(column)} AS task FROM ${raw(name)}
    WHERE ${raw(where)} AND ${raw(column)}::text ~ '"v1\\.[0-9a-f]{8}\\.'`);
}

function sealedTexts({ data }: Task): { name: string; text: string; keyId: string }[] {
  return Object.entries(data ?? {}).flatMap(([name, text]) => {
    const keyId = typeof text === 'string' ? isSealed.exec(text)?.[1] : undefined;
    return keyId === undefined ? [] : [{ name, text: text as string, keyId }];
  });
}

/** A module seals a text in the data of a task for the field of the same name; the kernel seals mails. */
function sealedFor({ job, tenant }: Task, name: string): { purpose: string; context: string } {
  const [module] = job.split('.');
  return module === 'kernel'
    ? { purpose: 'mail', context: '' }
    : { purpose: `module ${module}`, context: `${tenant} ${name}` };
}
