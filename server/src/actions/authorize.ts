import { type Caller, Failure, type Membership, signedIn } from '@chowk/kit/kernel';
import { fail } from '../errors.ts';
import type { TenantEntry } from '../tenancy/directory.ts';
import type { RegisteredAction } from './registry.ts';

/** The caller of an action and the tenant that the call is bound to. */
export interface Principal {
  readonly tenant: TenantEntry | undefined;
  readonly caller: Caller | undefined;
  readonly membership: Membership | undefined;
  /** The platform itself calls, as in a job: no permission is required. */
  readonly system?: boolean | undefined;
}

/** What a call needs: an action, or an event that a caller subscribes to. */
export type Requirement = Pick<RegisteredAction, 'module' | 'needs' | 'public' | 'internal' | 'tenant' | 'isReadOnly'>;

/** Knows the modules of each tenant. Returns a promise only if it has to wait. */
export interface ModuleDirectory {
  has(tenantId: string, alias: string): Promise<boolean> | boolean;
}

/**
 * Throws unless the principal may call the action; used by every transport. Membership is checked first, so that a
 * caller from outside learns nothing about a tenant. Returns a promise only if it has to wait.
 */
export function authorize(
  modules: ModuleDirectory,
  action: Requirement,
  principal: Principal,
  /** The permission that the call needs instead of the action's own; `null`: none. */
  permission?: string | null,
): Promise<void> | undefined {
  const { tenant } = principal;
  const isPublic = permission === null || (action.public && permission === undefined);
  const isOpen = isPublic || action.internal || principal.system;
  if (!isOpen) requireMembership(principal);
  const finish = (isInstalled: boolean) => {
    if (!isInstalled) throw fail('modules.not_installed', { module: action.module });
    if (!isOpen) requirePermission(action, principal, permission ?? action.needs);
  };
  const isInstalled = !action.module || !tenant || modules.has(tenant.id, action.module);
  return typeof isInstalled === 'boolean' ? void finish(isInstalled) : isInstalled.then(finish);
}

/** Whether the principal may get an event: the one check for subscriptions, rules, webhooks and previews. */
export async function mayReceive(
  modules: ModuleDirectory,
  { module, needs }: { readonly module: string; readonly needs?: string | undefined },
  principal: Principal,
): Promise<boolean> {
  try {
    const access = needs === undefined ? ({ public: true } as const) : { needs };
    await authorize(modules, { module, isReadOnly: true, ...access }, principal);
    return true;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}

function requireMembership({ tenant, caller, membership }: Principal): void {
  if (!caller && !membership) throw fail('auth.unauthenticated', {}, { headers: { 'WWW-Authenticate': 'Bearer' } });
  if (tenant && !membership) throw fail('auth.not_a_member');
}

function requirePermission(
  { tenant = 'required', isReadOnly }: Requirement,
  { caller, membership }: Principal,
  needs: RegisteredAction['needs'],
): void {
  if (needs !== signedIn) {
    const isHeld = hasAnyPermission(membership, needs);
    if (membership?.isUnverified && !(isHeld && isReadOnly)) throw fail('auth.email_not_verified');
    if (!isHeld)
      throw fail('auth.forbidden', { permission: [needs].flat().join(' or ') }, scopeChallenge(caller, needs));
    return;
  }
  // Actions that need no tenant concern the caller's account, and an API client has none.
  if (tenant !== 'required' && caller?.session.kind === 'client') throw fail('auth.no_account');
}

/** Tells a client that its token is limited to other permissions (RFC 6750, 3.1). */
function scopeChallenge(caller: Caller | undefined, needs: RegisteredAction['needs']) {
  const { scopes } = caller?.session ?? {};
  const missing = [needs].flat().filter((scope) => typeof scope === 'string' && !scopes?.has(scope));
  if (!scopes || missing.length === 0) return {};
  return { headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${missing.join(' ')}"` } };
}

function hasAnyPermission(membership: Membership | undefined, needs: RegisteredAction['needs']): boolean {
  if (!membership || needs === undefined) return false;
  return typeof needs === 'string'
    ? membership.permissions.has(needs)
    : needs.some((permission) => membership.permissions.has(permission));
}
