import { type SystemCtx, sql } from '@chowk/kit';
import { accountsOf } from '../accounts/accounts.ts';

/** Whom a mail speaks for. */
export interface Organization {
  readonly tenantId: string | undefined;
  readonly name: string;
}

/** The tenant that is meant, or the only one the user belongs to; else the platform itself. */
export async function organizationOf(
  ctx: SystemCtx,
  { userId, tenantId = ctx.tenantId }: { userId: number; tenantId?: string | undefined },
): Promise<Organization> {
  const [only, ...others] =
    tenantId === undefined ? await accountsOf(ctx.system).memberships.tenantsOf(userId) : [{ id: tenantId }];
  const id = others.length === 0 ? only?.id : undefined;
  const found = await ctx.central.row<{ name: string | null }>(sql`
    SELECT coalesce((SELECT name FROM tenants WHERE id = ${id ?? null}),
      (SELECT value #>> '{}' FROM platform_settings WHERE key = 'platform.name')) AS name`);
  return { tenantId: id, name: found?.name ?? 'Chowk' };
}
