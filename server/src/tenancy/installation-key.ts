import { type Db, sql } from '@chowk/kit/kernel';
import { type ConnectionLimits, withConnection } from '../db/connection.ts';
import type { ServerAddress } from '../db/server-address.ts';

/** The process has another key than the installation, or lacks one that is still in use. */
export class KeyError extends Error {}

/**
 * Records the key of the installation, or refuses another one: such a process could neither read what others encrypt nor
 * verify what they sign. A process that lacks a key that is still in use is refused too.
 */
export async function claimKey(
  { address, database }: { readonly address: ServerAddress; readonly database: string },
  limits: ConnectionLimits,
  keyIds: readonly string[],
): Promise<void> {
  const { rows } = await withConnection(address, database, limits, (connection) =>
    connection.query<{ claimed: boolean; unknown: string[]; key_id: string | null }>(sql`
      WITH unknown AS (SELECT id FROM sealing_keys WHERE id <> ALL (${keyIds}::text[])),
        claimed AS (UPDATE installation SET key_id = ${keyIds[0]}
          WHERE (key_id IS NULL OR key_id = ANY (${keyIds}::text[])) AND NOT EXISTS (SELECT FROM unknown) RETURNING key_id),
        recorded AS (INSERT INTO sealing_keys (id) SELECT key_id FROM claimed ON CONFLICT DO NOTHING)
      SELECT EXISTS (SELECT FROM claimed) AS claimed, ARRAY(SELECT id FROM unknown ORDER BY id) AS unknown,
        (SELECT key_id FROM installation)`),
  );
  const [result] = rows;
  if (!result || result.claimed) return;
  const { unknown, key_id } = result;
  if (key_id !== null && keyIds.includes(key_id)) throw new KeyError(missingKeys(unknown));
  throw new KeyError(
    'this process has another key than the installation: use the APP_KEY, or the file app.key, of its other ' +
      'processes, or add the old key to APP_PREVIOUS_KEYS',
  );
}

/** Forgets the previous keys when nothing is encrypted with them any more. */
export async function retireKeys(central: Db, [current, ...previous]: readonly string[]): Promise<void> {
  await central.run(sql`DELETE FROM sealing_keys WHERE id = ANY (${previous}::text[]) AND id <> ${current}`);
}

/** Keys with encrypted data that this process does not have. */
function missingKeys(ids: readonly string[]): string {
  return (
    `secrets are encrypted with ${ids.length === 1 ? 'a key' : 'keys'} that this process does not have ` +
    `(${ids.join(', ')}): add every earlier APP_KEY to APP_PREVIOUS_KEYS until 'chowkd keys:reencrypt' has succeeded`
  );
}
