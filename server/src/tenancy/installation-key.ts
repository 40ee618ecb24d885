import { sql } from '@chowk/kit/kernel';
import { type ConnectionLimits, withConnection } from '../db/connection.ts';
import type { ServerAddress } from '../db/server-address.ts';

/**
 * Records the key of the installation, or refuses another one: such a process could neither read what others encrypt nor
 * verify what they sign. The recorded key may be replaced by a process that also has it, as the previous one.
 */
export async function claimKey(
  { address, database }: { readonly address: ServerAddress; readonly database: string },
  limits: ConnectionLimits,
  keyIds: readonly string[],
): Promise<void> {
  const { rowCount } = await withConnection(address, database, limits, (connection) =>
    connection.query(sql`
      UPDATE installation SET key_id = ${keyIds[0]} WHERE key_id IS NULL OR key_id = ANY(${keyIds})`),
  );
  if (rowCount === 1) return;
  throw new Error(
    'this process has another key than the installation: use the APP_KEY, or the file app.key, of its other ' +
      'processes, or set the old key as APP_PREVIOUS_KEY',
  );
}
