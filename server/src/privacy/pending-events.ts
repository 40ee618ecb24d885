import { type Db, sql } from '@chowk/kit/kernel';
import { isPersonalOrSecret } from '../sensitive-fields.ts';

/** Removes personal data from events about customers that listeners have not received yet. */
export async function eraseFromPendingEvents(db: Db, customerIds: readonly string[]): Promise<void> {
  const rows = await db.rows<{ seq: number; payload: unknown }>(sql`
    SELECT seq, payload FROM event_deliveries
    WHERE payload::text LIKE ANY(${customerIds.map((id) => `%${id}%`)}::text[]) FOR UPDATE`);
  for (const { seq, payload } of rows) {
    await db.run(sql`
      UPDATE event_deliveries SET payload = ${JSON.stringify(payload, erasePersonal)}::jsonb WHERE seq = ${seq}`);
  }
}

function erasePersonal(name: string, value: unknown): unknown {
  if (!isPersonalOrSecret(name) || value === null) return value;
  if (typeof value === 'string') return null;
  if (typeof value !== 'object') return value;
  return Array.isArray(value) ? [] : {};
}
