import { setTimeout as delay } from 'node:timers/promises';
import { Failure } from '@chowk/kit/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { peekAtPlan, takeFromPlan, takeFromRateLimit, tooManyRequests } from '../actions/resolve-caller.ts';
import type { Kernel } from '../kernel.ts';
import { networkPrefix } from '../network.ts';
import type { RateLimitState } from '../rate-limiter.ts';
import type { Exchange } from './exchange.ts';

const quickRefusalsPerMinute = 300;
const refusalDelayMs = 1_000;

/** Counts the request against `RATE_LIMIT_PER_MINUTE`, whose state the `RateLimit-*` headers report, and against the tenant's plan. */
export function limitRate({ kernel, request, reply, caller, tenant, action }: Exchange): void {
  if (action.limit === false || hasOwnLimitOnly(action)) return;
  const limit = kernel.config.rateLimitPerMinute;
  const now = kernel.now().getTime();
  if (limit > 0)
    report(reply, limit, takeFromRateLimit(kernel.limiter, limit, { caller, tenant, address: request.ip, now }));
  takeFromPlan(kernel.limiter, tenant, now);
}

/** A provider calls for all tenants from a few addresses; the limit of the action itself is that of a tenant. */
function hasOwnLimitOnly({ accepts, limit }: Exchange['action']): boolean {
  return accepts === 'signed' && limit !== undefined;
}

/** Before any lookup: a network above its limit costs no query. */
export function limitNetwork({ kernel, request, reply, action }: Exchange): void {
  const limit = kernel.config.rateLimitPerMinute;
  if (limit === 0 || action.limit === false) return;
  const state = kernel.limiter.peek(networkBucket(request), limit, kernel.now().getTime());
  if (!state.allowed) report(reply, limit, state);
}

/** Before the caller is looked up: a tenant above the limit of its plan costs no query. Counts nothing. */
export function limitTenant({ kernel, tenant, action }: Exchange): void {
  if (action.limit === false || hasOwnLimitOnly(action)) return;
  peekAtPlan(kernel.limiter, tenant, kernel.now().getTime());
}

/** Clients that go on although they are refused wait for it, so that they do not take the time of others. */
export async function slowDown({ kernel, request, tenant }: Exchange, error: unknown): Promise<void> {
  if (!(error instanceof Failure) || error.status !== 429) return;
  const key = `refused ${tenant?.id ?? networkPrefix(request.ip)}`;
  const { allowed } = kernel.limiter.take(key, quickRefusalsPerMinute, kernel.now().getTime());
  if (!allowed) await delay(refusalDelayMs);
}

/** Whether `limitNetwork` will refuse the request. */
export function isNetworkLimited({ config, limiter, now }: Kernel, request: FastifyRequest): boolean {
  const limit = config.rateLimitPerMinute;
  return limit > 0 && !limiter.peek(networkBucket(request), limit, now().getTime()).allowed;
}

/** Counts a lookup of an unknown tenant or token. */
export function countFailedLookup({ kernel, request }: Exchange): void {
  const limit = kernel.config.rateLimitPerMinute;
  if (limit > 0) kernel.limiter.take(networkBucket(request), limit, kernel.now().getTime());
}

/** Counts a request that reaches no action, such as one for a file, as anonymous. */
export function limitAnonymous(kernel: Kernel, request: FastifyRequest, reply: FastifyReply): void {
  const limit = kernel.config.rateLimitPerMinute;
  if (limit > 0) report(reply, limit, kernel.limiter.take(networkPrefix(request.ip), limit, kernel.now().getTime()));
}

/** Failed lookups with a token have their own bucket: anonymous requests do not keep signed-in users out. */
function networkBucket({ ip, headers }: FastifyRequest): string {
  return headers.authorization === undefined ? networkPrefix(ip) : `failed ${networkPrefix(ip)}`;
}

function report(reply: FastifyReply, limit: number, state: RateLimitState): void {
  reply.header('ratelimit-limit', limit);
  reply.header('ratelimit-remaining', state.remaining);
  reply.header('ratelimit-reset', state.seconds);
  if (!state.allowed) throw tooManyRequests(state);
}
