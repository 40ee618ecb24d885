import { sql } from '@chowk/kit/kernel';
import { withConnection } from '../db/connection.ts';
import { type MigrationSource, migrationIds } from '../db/migrations.ts';
import type { ServerAddress } from '../db/server-address.ts';

const limits = { connectTimeoutMs: 5_000, queryTimeoutMs: 60_000 };

export interface MigrationPlan {
  /** Files that the central database lacks. */
  readonly central: readonly string[];
  /** In the order in which the rings are migrated. */
  readonly rings: readonly RingPlan[];
}

export interface RingPlan {
  readonly ring: string;
  readonly tenants: number;
  /** Tenants that lack a migration. */
  readonly pending: number;
  /** Files that at least one tenant lacks. */
  readonly migrations: readonly string[];
  /** For all pending tenants, without pauses. `null` if no earlier migration was measured. */
  readonly estimated_seconds: number | null;
  /** The pauses between batches. */
  readonly pause_seconds: number;
}

/** As `migrateFleet` takes it. */
export interface Pace {
  readonly parallel: number;
  readonly batch: number;
  readonly pauseMs: number;
}

interface PlanOptions extends Pace {
  readonly central: readonly MigrationSource[];
  readonly tenant: readonly MigrationSource[];
  readonly ring?: string;
}

/** What `chowkd migrate` would do. Changes nothing. */
export async function planMigration(
  address: ServerAddress,
  database: string,
  { central, tenant, ring, ...pace }: PlanOptions,
): Promise<MigrationPlan> {
  return withConnection(address, database, limits, async (connection) => {
    const applied = new Set(
      (
        await rowsIfTable<{ id: string }>(
          'schema_migrations',
          sql`SELECT owner || '/' || name AS id FROM schema_migrations`,
        )
      ).map(({ id }) => id),
    );
    const missing = central.flatMap(({ owner, migrations }) =>
      migrations.map(({ name }) => `${owner}/${name}`).filter((id) => !applied.has(id)),
    );
    const rows = await rowsIfTable<TenantState>(
      'tenant_migrations',
      sql`
      SELECT r.name AS ring, coalesce(m.applied, '{}') AS applied, count(*)::int AS tenants
      FROM tenants t JOIN module_rings r ON r.id = t.module_ring_id LEFT JOIN tenant_migrations m ON m.tenant_id = t.id
      WHERE t.status IN ('active', 'suspended') AND r.name = coalesce(${ring ?? null}, r.name)
      GROUP BY r.promotion_order, 1, 2 ORDER BY r.promotion_order DESC, min(t.id)`,
    );
    const ids = migrationIds(tenant);
    const msPerFile = await readMedian();
    const states = rows.map(({ applied, ...row }) => ({ ...row, missing: missingIds(ids, applied) }));
    const rings = [...Map.groupBy(states, (state) => state.ring)].map(([name, own]) =>
      planRing(name, own, pace, msPerFile),
    );
    return { central: missing, rings };

    /** Before the first migration there is no table. */
    async function rowsIfTable<Row extends object>(table: string, statement: ReturnType<typeof sql>): Promise<Row[]> {
      const { rows: found } = await connection.query<{ name: string | null }>(
        sql`SELECT to_regclass(${`public.${table}`})::text AS name`,
      );
      return found[0]?.name ? (await connection.query<Row>(statement)).rows : [];
    }

    /** The median of the last migrations of all tenants. An installation of an earlier version has not measured any. */
    async function readMedian(): Promise<number | null> {
      if (!applied.has('kernel/0008_migration_durations.sql')) return null;
      const { rows: found } = await connection.query<{ ms: number | null }>(sql`
        SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY duration_ms::float / applied_count) AS ms
        FROM tenant_migrations WHERE applied_count > 0`);
      return found[0]?.ms ?? null;
    }
  });
}

/** Tenants of a ring with the same migrations. */
interface TenantState {
  readonly ring: string;
  readonly applied: readonly string[];
  readonly tenants: number;
}

function missingIds(ids: readonly string[], applied: readonly string[]): string[] {
  const known = new Set(applied);
  return ids.filter((id) => !known.has(id));
}

function planRing(
  ring: string,
  states: readonly { readonly missing: readonly string[]; readonly tenants: number }[],
  { parallel, batch, pauseMs }: Pace,
  msPerFile: number | null,
): RingPlan {
  const behind = states.filter(({ missing }) => missing.length > 0);
  const files = behind.reduce((sum, { missing, tenants }) => sum + missing.length * tenants, 0);
  const seconds = msPerFile === null ? null : Math.ceil((files * msPerFile) / parallel / 1_000);
  const pending = countTenants(behind);
  const pauses = Math.max(0, Math.ceil(pending / batch) - 1);
  return {
    ring,
    tenants: countTenants(states),
    pending,
    migrations: [...new Set(behind.flatMap(({ missing }) => missing))].map((id) => id.split(' ')[0] as string),
    estimated_seconds: files === 0 ? 0 : seconds,
    pause_seconds: (pauses * pauseMs) / 1_000,
  };
}

function countTenants(states: readonly { readonly tenants: number }[]): number {
  return states.reduce((sum, { tenants }) => sum + tenants, 0);
}
