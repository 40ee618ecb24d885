import { setTimeout as delay } from 'node:timers/promises';
import { type Db, type Sql, sql } from '@chowk/kit/kernel';
import { type MigrationResult, migrate } from '../db/migrations.ts';
import { findUnreachable, requireServer } from './servers.ts';
import type { TenantDatabases } from './tenant-databases.ts';

export interface FleetOptions {
  /** The number of databases that are migrated concurrently. */
  readonly parallel: number;
  /** Only the tenants of this ring. */
  readonly ring?: string;
  /** The number of tenants between two pauses. Default: no pauses. */
  readonly batch?: number;
  readonly pauseMs?: number;
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
  server: string;
  database: string;
  wave: number;
  isBehind: boolean;
}

/**
 * Migrates the tenant databases that lack a migration, ring by ring, in descending promotion order. After a failure the
 * current ring is finished and later rings are not started; the next run continues there.
 */
export async function migrateFleet(
  central: Db,
  databases: TenantDatabases,
  { parallel, ring, batch = Number.POSITIVE_INFINITY, pauseMs = 0, onStart, onStep }: FleetOptions,
): Promise<FleetResult> {
  const tenants = await listTenants(central, databases.migrationIds, { ring });
  const members = tenants.filter(({ isBehind }) => isBehind);
  onStart?.(members.length);
  // Otherwise each of its tenants would wait for the timeout.
  const unreachable = members.length > 0 ? await findUnreachable(databases.servers) : new Map<string, Error>();
  const failed: { id: string; error: string }[] = [];
  let attempted = 0;
  for (const wave of Map.groupBy(members, (member) => member.wave).values()) {
    if (failed.length > 0) break;
    const waiting = [...wave];
    attempted += waiting.length;
    while (waiting.length > 0) {
      const queue = waiting.splice(0, batch);
      await Promise.all(
        Array.from({ length: parallel }, async () => {
          for (let member = queue.shift(); member; member = queue.shift()) {
            const error = await migrateTenant(central, databases, member, unreachable.get(member.server));
            if (error) failed.push({ id: member.id, error: error.message });
            onStep?.(member.id, error);
          }
        }),
      );
      if (waiting.length > 0) await delay(pauseMs);
    }
  }
  const pending = members.length - attempted;
  return { done: tenants.length - failed.length - pending, failed, pending };
}

/** Of the row `m` of `tenant_migrations`. Most have the same list, and comparing equal lists takes a hundredth of the time. */
export function hasApplied(migrationIds: readonly string[]): Sql {
  return sql`(m.applied = ${migrationIds}::text[] OR m.applied @> ${migrationIds}::text[])`;
}

/** Whether the database of the tenant `t` has all migrations: `done`, `pending` or `failed`. */
export function migrationState(migrationIds: readonly string[]): Sql {
  return sql`coalesce((
    SELECT CASE WHEN m.status = 'failed' THEN 'failed' WHEN ${hasApplied(migrationIds)} THEN 'done' ELSE 'pending' END
    FROM tenant_migrations m WHERE m.tenant_id = t.id), 'pending')`;
}

function listTenants(
  central: Db,
  migrationIds: readonly string[],
  { ring, where = sql`true` }: { readonly ring?: string | undefined; readonly where?: Sql | undefined },
): Promise<Member[]> {
  return central.rows<Member>(sql`
    SELECT t.id, t.database_server AS server, t.database_name AS database, r.promotion_order AS wave,
      ${migrationState(migrationIds)} <> 'done' AS "isBehind"
    FROM tenants t JOIN module_rings r ON r.id = t.module_ring_id
    WHERE t.status IN ('active', 'suspended') AND r.name = coalesce(${ring ?? null}, r.name) AND ${where}
    ORDER BY r.promotion_order DESC, t.id`);
}

/**
 * Migrates the tenants that a process of an older version has created after others were migrated, in the last week. Those that existed
 * before wait for `chowkd migrate`.
 */
export async function migrateNewTenants(central: Db, databases: TenantDatabases, ring: string): Promise<string[]> {
  const { migrationIds } = databases;
  // One that failed waits for an operator.
  const where = sql`t.created_at > now() - interval '7 days' AND ${migrationState(migrationIds)} = 'pending'
    AND EXISTS (SELECT FROM tenant_migrations m WHERE ${hasApplied(migrationIds)} AND m.finished_at < t.created_at)`;
  const members = await listTenants(central, migrationIds, { ring, where });
  const problems: string[] = [];
  for (const member of members) {
    const error = await migrateTenant(central, databases, member, undefined);
    if (error) problems.push(`${member.id}: ${error.message}`);
  }
  return problems;
}

/** Migrates one tenant. */
export async function migrateOne(central: Db, databases: TenantDatabases, id: string): Promise<void> {
  const [member] = await listTenants(central, databases.migrationIds, { where: sql`t.id = ${id}` });
  const error = member && (await migrateTenant(central, databases, member, undefined));
  if (error) throw error;
}

async function migrateTenant(
  central: Db,
  databases: TenantDatabases,
  { id, database, server }: Member,
  unreachable: Error | undefined,
): Promise<Error | undefined> {
  const startedAt = performance.now();
  const result = unreachable ?? (await migrateDatabase(databases, { id, server, database }));
  const durationMs = Math.round(performance.now() - startedAt);
  return central.tx(async (tx) => {
    if (result instanceof Error) {
      await recordMigration(tx, id, [], result.message);
      return result;
    }
    await recordMigration(tx, id, databases.migrationIds, null);
    if (result.applied.length > 0) {
      await tx.run(sql`
        UPDATE tenant_migrations SET duration_ms = ${durationMs}, applied_count = ${result.applied.length} WHERE tenant_id = ${id}`);
    }
    await databases.onMigrated(tx, id);
    return undefined;
  });
}

async function migrateDatabase(
  databases: TenantDatabases,
  { id, server: name, database }: Pick<Member, 'id' | 'server' | 'database'>,
): Promise<MigrationResult | Error> {
  try {
    const server = requireServer(databases, name);
    const result = await migrate(server.address, database, databases.sources);
    await databases.markTenant(database, server, id);
    return result;
  } catch (error) {
    return error as Error;
  }
}

/** Adds to the migrations of a tenant: a process of another ring may have applied more. */
export async function recordMigration(
  db: Db,
  tenantId: string,
  applied: readonly string[],
  error: string | null,
): Promise<void> {
  const status = error === null ? 'done' : 'failed';
  await db.run(sql`
    INSERT INTO tenant_migrations AS m (tenant_id, applied, status, error, finished_at)
    VALUES (${tenantId}, ${applied}, ${status}, ${error}, now())
    ON CONFLICT (tenant_id) DO UPDATE SET status = excluded.status, error = excluded.error, finished_at = now(),
      announced_at = CASE WHEN m.applied @> excluded.applied THEN m.announced_at END,
      applied = CASE WHEN excluded.applied @> m.applied THEN excluded.applied
        ELSE ARRAY(SELECT unnest(m.applied) UNION SELECT unnest(excluded.applied)) END`);
}
