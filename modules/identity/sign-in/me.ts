import type { SystemCtx, User } from '@chowk/kit';
import { accountsOf } from '../accounts/accounts.ts';
import type { Me, UserSummary } from '../schemas.ts';

/** The permissions as an array, cached with the membership. */
const lists = new WeakMap<ReadonlySet<string>, string[]>();

export function summaryOf({ id, name, email, emailVerified, twoFactor }: User): UserSummary {
  return { id, name, email, email_verified: emailVerified, two_factor_enabled: twoFactor };
}

export async function getMe(ctx: SystemCtx): Promise<Me> {
  const tenants = [...(await accountsOf(ctx.system).memberships.tenantsOf(ctx.user.id))];
  const me = { ...summaryOf(ctx.user), sign_in_email: ctx.user.signInEmail, tenants };
  if (!ctx.membership || !ctx.tenant) return me;
  const { role, permissions } = ctx.membership;
  const list = lists.get(permissions) ?? [...permissions];
  lists.set(permissions, list);
  return { ...me, tenant_id: ctx.tenant.id, role, permissions: list };
}
