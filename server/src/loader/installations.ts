import { type Db, GuardedCache, sql } from '@chowk/kit/kernel';
import type { Signals } from '../db/signals.ts';
import { hasApplied } from '../tenancy/migrate-fleet.ts';

/** The modules that are enabled for each tenant. */
export class Installations {
  readonly #central: Db;
  readonly #ring: string;
  readonly #cache: GuardedCache<ReadonlySet<string>>;
  /** Enabled for every tenant. */
  readonly #systemModules: ReadonlySet<string>;

  constructor(central: Db, signals: Signals, ring: string, systemModules: ReadonlySet<string> = new Set()) {
    this.#central = central;
    this.#ring = ring;
    this.#systemModules = systemModules;
    this.#cache = new GuardedCache({ max: 20_000, load: (tenantId) => listEnabled(central, tenantId) });
    void signals.listen('chowk_modules', {
      onNotify: (tenantId) => this.#cache.invalidate(tenantId),
      onConnectionChange: (ok) => this.#cache.trust(ok),
    });
  }

  /** Returns a promise only if it has to wait. */
  has(tenantId: string, alias: string): Promise<boolean> | boolean {
    if (this.#systemModules.has(alias)) return true;
    const enabled = this.#cache.get(tenantId);
    return enabled instanceof Promise ? enabled.then((set = none) => set.has(alias)) : (enabled ?? none).has(alias);
  }

  /** The modules that are enabled for the tenant, without the system modules. Cached: the same set until it changes. */
  async enabled(tenantId: string): Promise<ReadonlySet<string>> {
    return (await this.#cache.get(tenantId)) ?? none;
  }

  /** The tenants of this ring that are not suspended and have the module, or all of them for `undefined`. */
  async tenantsWith(alias: string | undefined, { onlyActive = false } = {}): Promise<string[]> {
    const rows = await this.#central.rows<{ id: string }>(sql`
      SELECT t.id FROM tenants t JOIN module_rings r ON r.id = t.module_ring_id
      WHERE t.status = 'active' AND r.name = ${this.#ring} AND (${alias ?? null}::text IS NULL OR EXISTS (
        SELECT FROM module_installations WHERE tenant_id = t.id AND alias = ${alias ?? null} AND status = 'enabled'))
        AND ${onlyActive ? isActive : sql`true`}
      ORDER BY 1`);
    return rows.map(({ id }) => id);
  }

  async set(tenantId: string, alias: string, status: 'enabled' | 'disabled'): Promise<void> {
    await this.#central.run(sql`
      INSERT INTO module_installations (tenant_id, alias, status) VALUES (${tenantId}, ${alias}, ${status})
      ON CONFLICT (tenant_id, alias) DO UPDATE SET status = excluded.status, updated_at = now()`);
    this.#cache.invalidate(tenantId);
  }
}

const none: ReadonlySet<string> = new Set();

/** Changed in the last two days. Others are visited in one hour of each day, so that thousands of unused tenants cost little. */
const isActive = sql`(EXISTS (SELECT FROM outbox_activity WHERE tenant_id = t.id)
  OR EXISTS (SELECT FROM tenant_activity WHERE tenant_id = t.id AND active_at > now() - interval '2 days')
  OR t.updated_at > now() - interval '2 days'
  OR abs(hashtext(t.id)::bigint) % 24 = extract(hour FROM now() AT TIME ZONE 'UTC'))`;

/** Enables modules for a tenant of the ring. A module that the tenant has disabled stays disabled. */
export async function autoInstall(db: Db, ring: string, tenantId: string, aliases: readonly string[]): Promise<void> {
  if (aliases.length === 0) return;
  await db.run(sql`
    INSERT INTO module_installations (tenant_id, alias, status)
    SELECT t.id, alias, 'enabled' FROM tenants t JOIN module_rings r ON r.id = t.module_ring_id
      CROSS JOIN unnest(${aliases}::text[]) AS alias
    WHERE t.id = ${tenantId} AND r.name = ${ring}
    ON CONFLICT (tenant_id, alias) DO NOTHING`);
}

/** The same for every tenant of the ring whose database has all migrations. */
export async function autoInstallEverywhere(
  db: Db,
  ring: string,
  migrationIds: readonly string[],
  aliases: readonly string[],
): Promise<void> {
  if (aliases.length === 0) return;
  await db.run(sql`
    INSERT INTO module_installations (tenant_id, alias, status)
    SELECT t.id, n.alias, 'enabled'
    FROM tenants t JOIN module_rings r ON r.id = t.module_ring_id JOIN tenant_migrations m ON m.tenant_id = t.id
      CROSS JOIN unnest(${aliases}::text[]) AS n (alias)
    WHERE r.name = ${ring} AND m.status = 'done' AND ${hasApplied(migrationIds)} AND NOT EXISTS (
      SELECT FROM module_installations i WHERE i.tenant_id = t.id AND i.alias = n.alias)
    ON CONFLICT (tenant_id, alias) DO NOTHING`);
}

async function listEnabled(central: Db, tenantId: string): Promise<ReadonlySet<string>> {
  const rows = await central.rows<{ alias: string }>(
    sql`SELECT alias FROM module_installations WHERE tenant_id = ${tenantId} AND status = 'enabled'`,
  );
  return new Set(rows.map(({ alias }) => alias));
}
