import { type SystemCtx, sql } from '@chowk/kit';
import { accountsOf } from '../accounts/accounts.ts';

/** The sender that a mail shows. */
export interface Organization {
  readonly tenantId: string | undefined;
  readonly name: string;
}

/** The tenant with `tenantId`, else the only tenant of the user, else the platform. */
export async function organizationOf(
  ctx: SystemCtx,
  { userId, tenantId = ctx.tenantId }: { userId: number; tenantId?: string | undefined },
): Promise<Organization> {
  const [only, ...others] =
    tenantId === undefined ? await accountsOf(ctx.system).memberships.tenantsOf(userId) : [{ id: tenantId }];
  const id = others.length === 0 ? only?.id : undefined;
  const row = await ctx.central.row<{ name: string | null }>(sql`
    SELECT coalesce((SELECT name FROM tenants WHERE id = ${id ?? null}),
      (SELECT value #>> '{}' FROM platform_settings WHERE key = 'platform.name')) AS name`);
  return { tenantId: id, name: row?.name ?? 'Chowk' };
}
