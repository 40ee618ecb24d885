import { type Db, raw, sql } from '@chowk/kit/kernel';
import { isPersonalOrSecret } from '../sensitive-fields.ts';

/** The tables that store events, and their keys. */
const tables = [
  ['event_deliveries', 'seq'],
  ['event_log', 'id'],
] as const;

/** Removes personal data from events about customers, in the event log and from those that listeners have not received yet. */
export async function eraseFromStoredEvents(db: Db, customerIds: readonly string[]): Promise<void> {
  const patterns = customerIds.map((id) => `%${id}%`);
  for (const [table, key] of tables) {
    const rows = await db.rows<{ key: unknown; payload: unknown }>(sql`
      SELECT ${raw(key)} AS key, payload FROM ${raw(table)} WHERE payload::text LIKE ANY(${patterns}::text[]) FOR UPDATE`);
    for (const row of rows) {
      await db.run(sql`
        UPDATE ${raw(table)} SET payload = ${JSON.stringify(row.payload, erasePersonal)}::jsonb WHERE ${raw(key)} = ${row.key}`);
    }
  }
}

function erasePersonal(name: string, value: unknown): unknown {
  if (!isPersonalOrSecret(name) || value === null) return value;
  if (typeof value === 'string') return null;
  if (typeof value !== 'object') return value;
  return Array.isArray(value) ? [] : {};
}
