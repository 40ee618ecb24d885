import { sql } from '@chowk/kit/kernel';
import { lt } from 'semver';
import { withConnection } from '../db/connection.ts';
import type { ServerAddress } from '../db/server-address.ts';
import { version } from '../version.ts';

const limits = { connectTimeoutMs: 5_000, queryTimeoutMs: 30_000 };

/**
 * Throws if the databases were changed so that this version cannot work with them. A release that removes what earlier
 * versions need sets `minimum_version` in `platform_settings` in a migration of the central database.
 */
export async function requireVersion(address: ServerAddress, database: string): Promise<void> {
  const minimum = await withConnection(address, database, limits, async (connection) => {
    const table = await connection.query<{ name: string | null }>(
      sql`SELECT to_regclass('public.platform_settings')::text AS name`,
    );
    if (!table.rows[0]?.name) return undefined;
    const { rows } = await connection.query<{ value: string }>(
      sql`SELECT value #>> '{}' AS value FROM platform_settings WHERE key = 'minimum_version'`,
    );
    return rows[0]?.value;
  });
  if (minimum === undefined || !lt(version, minimum)) return;
  throw new Error(
    `this is version ${version}, but the databases need at least version ${minimum}; start a newer version, or restore a backup from before the upgrade`,
  );
}
