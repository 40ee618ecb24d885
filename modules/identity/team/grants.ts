import type { SystemCtx } from '@chowk/kit';
import { fail } from '../errors.ts';

const mostNamed = 5;

/**
 * Nobody gives a role, takes it from somebody or changes it who may not do itself all that the role may do here. What
 * has no effect in this tenant is nobody's to miss: not even an Owner of a merchant holds it.
 */
export function mustHoldRole(ctx: SystemCtx, role: { name: string; permissions: readonly string[] }): void {
  const beyond = role.permissions.filter((name) => !ctx.can(name) && acts(ctx, name));
  if (beyond.length > 0) throw fail('identity.role_beyond_caller', { role: role.name, permissions: listOf(beyond) });
}

/** What is put into a role must be held, and not merely have no effect yet: the tenant may become a reseller. */
export function mustHold(ctx: SystemCtx, permissions: readonly string[]): void {
  const beyond = permissions.filter((name) => !ctx.can(name));
  if (beyond.length > 0) throw fail('identity.permission_beyond_caller', { permissions: listOf(beyond) });
}

function acts(ctx: SystemCtx, permission: string): boolean {
  return ctx.platform.permissions.actsIn(permission, ctx.tenant.role);
}

function listOf(names: readonly string[]): string {
  const more = names.length - mostNamed;
  return names.slice(0, mostNamed).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
