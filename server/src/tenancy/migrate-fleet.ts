import { type Db, sql } from '@chowk/kit';
import { migrate } from '../db/migrations.ts';
import type { ServerAddress } from '../db/server-address.ts';
import type { TenantDatabases } from './tenant-databases.ts';

export interface FleetOptions {
  /** The number of databases that are migrated concurrently. */
  readonly parallel: number;
  /** Called once with the number of tenants, then `onStep` after each tenant. */
  readonly onStart?: (total: number) => void;
  readonly onStep?: (tenantId: string, error: Error | undefined) => void;
}

export interface FleetResult {
  readonly done: number;
  readonly failed: readonly { id: string; error: string }[];
  /** Not attempted, because an earlier ring had a failure. */
  readonly pending: number;
}

interface Member {
  id: string;
  database: string;
  wave: number;
}

/**
 * Migrates all tenant databases ring by ring, in descending promotion order. After a failure the current ring is
 * finished and later rings are not started. Progress is stored, so that the next run continues where this one stopped.
 */
export async function migrateFleet(
  central: Db,
  address: ServerAddress,
  databases: TenantDatabases,
  { parallel, onStart, onStep }: FleetOptions,
): Promise<FleetResult> {
  const members = await markPending(central, databases.fingerprint);
  onStart?.(members.length);
  const failed: { id: string; error: string }[] = [];
  let attempted = 0;
  for (const wave of Map.groupBy(members, (member) => member.wave).values()) {
    if (failed.length > 0) break;
    const queue = [...wave];
    attempted += queue.length;
    await Promise.all(
      Array.from({ length: parallel }, async () => {
        for (let member = queue.shift(); member; member = queue.shift()) {
          const error = await migrateTenant(central, address, databases, member);
          if (error) failed.push({ id: member.id, error: error.message });
          onStep?.(member.id, error);
        }
      }),
    );
  }
  const [counts] = await central.rows<{ done: number }>(sql`
    SELECT count(*) AS done FROM tenant_migrations
    WHERE status = 'done' AND fingerprint = ${databases.fingerprint}`);
  return { done: counts?.done ?? 0, failed, pending: members.length - attempted };
}

/** Marks tenants whose database is not up to date as pending, and returns them. */
async function markPending(central: Db, fingerprint: string): Promise<Member[]> {
  return central.rows<Member>(sql`
    WITH behind AS (
      INSERT INTO tenant_migrations AS m (tenant_id, fingerprint, status)
      SELECT id, ${fingerprint}, 'pending' FROM tenants WHERE status = 'active'
      ON CONFLICT (tenant_id) DO UPDATE SET fingerprint = excluded.fingerprint, status = 'pending', error = NULL
      WHERE m.fingerprint <> excluded.fingerprint OR m.status <> 'done'
      RETURNING tenant_id)
    SELECT t.id, t.database_name AS database, r.promotion_order AS wave
    FROM behind b JOIN tenants t ON t.id = b.tenant_id JOIN module_rings r ON r.id = t.module_ring_id
    ORDER BY r.promotion_order DESC, t.id`);
}

async function migrateTenant(
  central: Db,
  address: ServerAddress,
  { fingerprint, sources, onMigrated }: TenantDatabases,
  { id, database }: Member,
): Promise<Error | undefined> {
  const failure = await migrate(address, database, sources).then(
    () => undefined,
    (error: Error) => error,
  );
  await central.tx(async (tx) => {
    await tx.run(sql`
    UPDATE tenant_migrations SET status = ${failure ? 'failed' : 'done'}, error = ${failure?.message ?? null},
      finished_at = now()
    WHERE tenant_id = ${id} AND fingerprint = ${fingerprint}`);
    if (!failure) await onMigrated(tx, id);
  });
  return failure;
}
