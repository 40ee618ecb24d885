import { type Db, sql } from '@chowk/kit';
import { migrate } from '../db/migrations.ts';
import type { ServerAddress } from '../db/server-address.ts';
import type { TenantDatabases } from './databases.ts';

export interface FleetOptions {
  /** How many databases are migrated at once. */
  readonly parallel: number;
  /** Called with how many there are to do, then after each of them. */
  readonly onStart?: (total: number) => void;
  readonly onStep?: (tenantId: string, error: Error | undefined) => void;
}

export interface FleetResult {
  readonly done: number;
  readonly failed: readonly { id: string; error: string }[];
  /** Not tried, because a ring before theirs had a failure. */
  readonly pending: number;
}

interface Member {
  id: string;
  database: string;
  wave: number;
}

/**
 * Migrates every tenant's database, ring by ring, the boldest first. A failure lets its own ring finish and spares the
 * rings after it. What was done is remembered, so that a run takes up where the last one stopped.
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
  let tried = 0;
  for (const wave of Map.groupBy(members, (member) => member.wave).values()) {
    if (failed.length > 0) break;
    const queue = [...wave];
    tried += queue.length;
    await Promise.all(
      Array.from({ length: parallel }, async () => {
        for (let member = queue.shift(); member; member = queue.shift()) {
          const error = await migrateOne(central, address, databases, member);
          if (error) failed.push({ id: member.id, error: error.message });
          onStep?.(member.id, error);
        }
      }),
    );
  }
  const [counts] = await central.rows<{ done: number }>(sql`
    SELECT count(*) AS done FROM tenant_migrations
    WHERE status = 'done' AND fingerprint = ${databases.fingerprint}`);
  return { done: counts?.done ?? 0, failed, pending: members.length - tried };
}

/** Tenants whose database is not up to date; each is written down as pending before anything happens to it. */
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

async function migrateOne(
  central: Db,
  address: ServerAddress,
  { fingerprint, sources, migrated }: TenantDatabases,
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
    if (!failure) await migrated(tx, id);
  });
  return failure;
}
