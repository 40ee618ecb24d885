import type { SystemCtx } from '@chowk/kit';
import { getAccounts } from '../accounts/accounts.ts';
import type { Me, UserSummary } from '../schemas.ts';

/** The permissions as an array, cached with the membership. */
const lists = new WeakMap<ReadonlySet<string>, string[]>();

export function summarizeUser({ id, name, email, emailVerified, twoFactor }: SystemCtx['user']): UserSummary {
  return { id, name, email, email_verified: emailVerified, two_factor_enabled: twoFactor };
}

export async function getMe(ctx: SystemCtx): Promise<Me> {
  const memberships = await getAccounts(ctx.system).memberships.listTenants(ctx.user.id);
  const tenants = memberships.map((tenant) => ({ ...tenant, domain: `${tenant.domain}.${ctx.system.baseDomain}` }));
  const me = { ...summarizeUser(ctx.user), sign_in_email: ctx.user.signInEmail, tenants };
  if (!ctx.membership) return me;
  const { role, permissions } = ctx.membership;
  const list = lists.get(permissions) ?? [...permissions];
  lists.set(permissions, list);
  const { 'general.currency': currency, 'general.timezone': timezone } = await ctx.settings();
  const console_entries = await ctx.system.modules.consoleEntries(ctx.tenant.id, (permission) => ctx.can(permission));
  const { id: tenant_id, role: tenant_role, isSandbox } = ctx.tenant;
  const sandbox = isSandbox ? { is_sandbox: true } : {};
  return { ...me, tenant_id, tenant_role, ...sandbox, currency, timezone, role, permissions: list, console_entries };
}
