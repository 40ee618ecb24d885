import type { Caller, Membership } from '@chowk/kit';
import { andThen, type MaybePromise, signedIn } from '@chowk/kit';
import { fail } from '../errors.ts';
import type { TenantEntry } from '../tenancy/directory.ts';
import type { RegisteredAction } from './registry.ts';

/** Who calls, in which tenant. */
export interface Who {
  readonly tenant: TenantEntry | undefined;
  readonly caller: Caller | undefined;
  readonly membership: Membership | undefined;
  /** The platform itself acts, as in a job. */
  readonly system?: boolean | undefined;
}

type HasModule = (tenantId: string, alias: string) => MaybePromise<boolean>;

/**
 * Decides, for every transport, whether an action may be called; throws if not. Membership comes before anything about
 * the thing asked for, so that a stranger learns nothing about a tenant.
 */
export function authorise(
  hasModule: HasModule,
  action: RegisteredAction,
  who: Who,
  /** The permission that the call needs instead of the action's own. */
  permission?: string,
): MaybePromise<void> {
  const { tenant } = who;
  const isOpen = (action.public && permission === undefined) || who.system;
  if (!isOpen) mustBeMember(action, who);
  const installed = !action.module || !tenant || hasModule(tenant.id, action.module);
  return andThen(installed, (isThere) => {
    if (!isThere) throw fail('modules.not_installed', { module: action.module });
    if (!isOpen) mustBePermitted(action, who, permission ?? action.needs);
  });
}

function mustBeMember(action: RegisteredAction, { tenant, caller, membership }: Who): void {
  if (!caller) throw fail('auth.unauthenticated', {}, { headers: { 'WWW-Authenticate': 'Bearer' } });
  if (tenant && !membership) throw fail('auth.not_a_member');
  if (!action.isReadOnly && caller.frozen) throw fail('auth.password_exposed');
}

function mustBePermitted(
  { tenant = 'required' }: RegisteredAction,
  { caller, membership }: Who,
  needs: RegisteredAction['needs'],
): void {
  if (needs !== signedIn) {
    if (!holdsOne(membership, needs)) throw fail('auth.forbidden', { permission: [needs].flat().join(' or ') });
    return;
  }
  // What needs no tenant is about the caller's account, and an API client has none.
  if (tenant !== 'required' && caller?.session.kind === 'client') throw fail('auth.no_account');
}

function holdsOne(membership: Membership | undefined, needs: RegisteredAction['needs']): boolean {
  if (!membership || needs === undefined) return false;
  return typeof needs === 'string'
    ? membership.permissions.has(needs)
    : needs.some((one) => membership.permissions.has(one));
}
