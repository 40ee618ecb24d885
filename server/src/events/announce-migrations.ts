import { type Ctx, type Db, type Log, sql } from '@chowk/kit/kernel';
import type { TenantEntry } from '../tenancy/directory.ts';

interface Options {
  readonly central: Db;
  readonly ring: string;
  readonly find: (tenantId: string) => Promise<TenantEntry | undefined>;
  readonly contextFor: (tenant: TenantEntry, module: string, requestId: string) => Ctx;
  readonly log: Log;
}

/** Declares the event. */
const module = 'administration';
const batchSize = 100;

/**
 * Emits `tenant.database_migrated` for the tenants whose migration has not been announced, or for one of them. At least once:
 * the central database records afterwards that it was emitted.
 */
export async function announceMigrations(options: Options, tenantId?: string): Promise<void> {
  const { central, ring, log } = options;
  const rows = await central.rows<{ id: string }>(sql`
    SELECT t.id FROM tenant_migrations m JOIN tenants t ON t.id = m.tenant_id JOIN module_rings r ON r.id = t.module_ring_id
    WHERE m.announced_at IS NULL AND m.status = 'done' AND t.status = 'active' AND r.name = ${ring}
      AND t.id = coalesce(${tenantId ?? null}, t.id) LIMIT ${batchSize}`);
  for (const { id } of rows) {
    await announce(options, id).catch((error: unknown) =>
      log.warn({ err: error, tenant: id }, 'could not emit tenant.database_migrated; the next sweep does'),
    );
  }
}

async function announce({ central, find, contextFor }: Options, id: string): Promise<void> {
  const tenant = await find(id);
  if (!tenant) return;
  const ctx = contextFor(tenant, module, 'migration');
  await ctx.emit('tenant.database_migrated', { tenant_id: id });
  await central.run(sql`UPDATE tenant_migrations SET announced_at = now() WHERE tenant_id = ${id}`);
}
