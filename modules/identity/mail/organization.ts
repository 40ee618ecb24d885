import { type Db, type SystemCtx, sql } from '@chowk/kit';

/** The sender that a mail shows. */
export interface Organization {
  readonly tenantId: string | undefined;
  readonly name: string;
}

/** The tenant with `tenantId`, else the only tenant of the user, else the platform. */
export async function findOrganization(
  ctx: SystemCtx,
  tx: Db,
  { userId, tenantId = ctx.tenantId }: { userId: number; tenantId?: string | undefined },
): Promise<Organization> {
  const row = await tx.row<{ id: string | null; name: string | null }>(sql`
    SELECT o.id, coalesce((SELECT name FROM tenants WHERE id = o.id),
      (SELECT value #>> '{}' FROM platform_settings WHERE key = 'platform.name')) AS name
    FROM (SELECT coalesce(${tenantId ?? null}, (
      SELECT min(t.id) FROM memberships m JOIN tenants t ON t.id = m.tenant_id
      WHERE m.user_id = ${userId} AND t.status = 'active' HAVING count(*) = 1)) AS id) o`);
  return { tenantId: row?.id ?? undefined, name: row?.name ?? 'Chowk' };
}
