import { type Identity, type MaybePromise, type Tenant, whenReady } from '@chowk/kit/kernel';
import { fail } from '../errors.ts';
import { networkPrefix } from '../network.ts';
import type { RateLimiter, RateLimitState } from '../rate-limiter.ts';
import type { Directory, TenantEntry } from '../tenancy/directory.ts';
import type { Principal } from './authorize.ts';
import type { RegisteredAction } from './registry.ts';

/* Tenant, caller and rate limit of a call from outside, for every transport. */

/** The tenant named by the host or `X-Tenant`; `undefined` if the action is not bound to one. */
export function tenantForAction(
  directory: Directory,
  { tenant: mode = 'required' }: Pick<RegisteredAction, 'tenant'>,
  claim: { readonly host: string; readonly header: string | undefined },
): MaybePromise<TenantEntry | undefined> {
  if (mode === 'none') return undefined;
  return whenReady(directory.resolve(claim), (resolved) => {
    if (!resolved && mode === 'required') throw fail('tenancy.required');
    return resolved?.tenant;
  });
}

/** The caller that a bearer token belongs to, and its membership in the tenant. An unknown token is anonymous. */
export function resolveCaller(
  identity: Identity,
  token: string | undefined,
  tenant: TenantEntry | undefined,
): MaybePromise<Pick<Principal, 'caller' | 'membership'>> {
  if (!token) return anonymous;
  return whenReady(identity.authenticate(token), (caller) => {
    if (!caller) return anonymous;
    const membership = tenant && identity.membership(caller, tenant.id);
    return whenReady(membership, (found) => ({ caller, membership: found }));
  });
}

const anonymous = { caller: undefined, membership: undefined };

/** What is counted. Default: one request. */
interface Counted {
  readonly name: string;
  readonly amount: number;
}

/** Counts a call per user and tenant or, for anonymous callers, per network. */
export function takeFromRateLimit(
  limiter: RateLimiter,
  limit: number,
  { caller, tenant, address, now }: Pick<Principal, 'caller' | 'tenant'> & { address: string; now: number },
  counted?: Counted,
): RateLimitState {
  const key = caller ? `${tenant?.id ?? ''} ${caller.id}` : networkPrefix(address);
  return counted ? limiter.take(`${counted.name} ${key}`, limit, now, counted.amount) : limiter.take(key, limit, now);
}

/** Counts a request of a tenant against its plan. Throws if it is above the limit. */
export function takeFromPlan(limiter: RateLimiter, tenant: Tenant | undefined, now: number): void {
  requirePlan(tenant, (key, limit) => limiter.take(key, limit, now));
}

/** As `takeFromPlan`, but counts nothing. */
export function peekAtPlan(limiter: RateLimiter, tenant: Tenant | undefined, now: number): void {
  requirePlan(tenant, (key, limit) => limiter.peek(key, limit, now));
}

function requirePlan(tenant: Tenant | undefined, check: (key: string, limit: number) => RateLimitState): void {
  const limit = tenant?.limits.requests_per_minute;
  if (tenant === undefined || limit == null) return;
  const { allowed, seconds } = check(`plan ${tenant.id}`, limit);
  if (allowed) return;
  throw fail('tenancy.too_many_requests', { limit, seconds }, { headers: { 'Retry-After': String(seconds) } });
}

export function tooManyRequests({ seconds }: RateLimitState) {
  return fail('http.too_many_requests', { seconds }, { headers: { 'Retry-After': String(seconds) } });
}
