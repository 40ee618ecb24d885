import type { Identity } from '@chowk/kit';
import { andThen, type MaybePromise } from '@chowk/kit';
import { fail } from '../errors.ts';
import { networkOf } from '../network.ts';
import type { RateLimiter, RateLimitState } from '../rate-limiter.ts';
import type { Directory, TenantEntry } from '../tenancy/directory.ts';
import type { Who } from './authorise.ts';
import type { RegisteredAction } from './registry.ts';

/* How a call from outside finds its tenant, its caller and its limit, whatever the transport. */

/** The tenant that the host or `X-Tenant` names, as far as the action wants one. */
export function bindTenant(
  directory: Directory,
  { tenant: wanted = 'required' }: Pick<RegisteredAction, 'tenant'>,
  claim: { readonly host: string; readonly header: string | undefined },
): MaybePromise<TenantEntry | undefined> {
  if (wanted === 'none') return undefined;
  return andThen(directory.bind(claim), (binding) => {
    if (!binding && wanted === 'required') throw fail('tenancy.required');
    return binding?.tenant;
  });
}

/** The caller that a bearer token belongs to, and what it is in the tenant. An unknown token is nobody's. */
export function identify(
  identity: Identity,
  token: string | undefined,
  tenant: TenantEntry | undefined,
): MaybePromise<Pick<Who, 'caller' | 'membership'>> {
  if (!token) return nobody;
  return andThen(identity.authenticate(token), (caller): MaybePromise<Pick<Who, 'caller' | 'membership'>> => {
    if (!caller) return nobody;
    if (!tenant) return { caller, membership: undefined };
    return andThen(identity.membership(caller, tenant.id), (membership) => ({ caller, membership }));
  });
}

const nobody = { caller: undefined, membership: undefined };

/** Counts a call of a user in a tenant or, where nobody is signed in, of a network. */
export function takeFromLimit(
  limiter: RateLimiter,
  limit: number,
  { caller, tenant, address, now }: Pick<Who, 'caller' | 'tenant'> & { address: string; now: number },
): RateLimitState {
  return limiter.take(caller ? `${tenant?.id ?? ''} ${caller.id}` : networkOf(address), limit, now);
}

export function tooManyRequests({ seconds }: RateLimitState) {
  return fail('http.too_many_requests', { seconds }, { headers: { 'Retry-After': String(seconds) } });
}
