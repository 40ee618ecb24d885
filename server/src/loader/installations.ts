import { andThen, type Db, GuardedCache, type MaybePromise, sql } from '@chowk/kit';
import type { Signals } from '../db/signals.ts';

/** Which modules each tenant has. */
export class Installations {
  readonly #central: Db;
  readonly #cache: GuardedCache<ReadonlySet<string>>;
  /** System modules: every tenant has them. */
  readonly #always: ReadonlySet<string>;

  constructor(central: Db, signals: Signals, always: ReadonlySet<string> = new Set()) {
    this.#central = central;
    this.#always = always;
    this.#cache = new GuardedCache({ max: 20_000, load: (tenantId) => listEnabled(central, tenantId) });
    void signals.listen('chowk_modules', {
      onNotify: (tenantId) => this.#cache.invalidate(tenantId),
      onConnectionChange: (ok) => this.#cache.trust(ok),
    });
  }

  has(tenantId: string, alias: string): MaybePromise<boolean> {
    if (this.#always.has(alias)) return true;
    return andThen(this.#cache.get(tenantId), (aliases) => aliases?.has(alias) ?? false);
  }

  /** Tenants that have the module; without one, every tenant. */
  async tenantsWith(alias: string | undefined): Promise<string[]> {
    const rows = await this.#central.rows<{ id: string }>(sql`
      SELECT id FROM tenants t WHERE status = 'active' AND (${alias ?? null}::text IS NULL OR EXISTS (
        SELECT FROM module_installations WHERE tenant_id = t.id AND alias = ${alias ?? null} AND status = 'enabled'))
      ORDER BY 1`);
    return rows.map(({ id }) => id);
  }

  /** Switches a module on or off for a tenant. */
  async set(tenantId: string, alias: string, status: 'enabled' | 'disabled'): Promise<void> {
    await this.#central.run(sql`
      INSERT INTO module_installations (tenant_id, alias, status) VALUES (${tenantId}, ${alias}, ${status})
      ON CONFLICT (tenant_id, alias) DO UPDATE SET status = excluded.status, updated_at = now()`);
    this.#cache.invalidate(tenantId);
  }
}

/** Gives a tenant the modules that come by themselves. One that it has switched off stays off. */
export async function autoInstall(db: Db, tenantId: string, aliases: readonly string[]): Promise<void> {
  if (aliases.length === 0) return;
  await db.run(sql`
    INSERT INTO module_installations (tenant_id, alias, status)
    SELECT ${tenantId}, alias, 'enabled' FROM unnest(${aliases}::text[]) AS alias
    ON CONFLICT (tenant_id, alias) DO NOTHING`);
}

async function listEnabled(central: Db, tenantId: string): Promise<ReadonlySet<string>> {
  const rows = await central.rows<{ alias: string }>(
    sql`SELECT alias FROM module_installations WHERE tenant_id = ${tenantId} AND status = 'enabled'`,
  );
  return new Set(rows.map(({ alias }) => alias));
}
