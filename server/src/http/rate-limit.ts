import { takeFromRateLimit, tooManyRequests } from '../actions/resolve-caller.ts';
import type { Exchange } from './exchange.ts';

/** Counts the request against `RATE_LIMIT_PER_MINUTE` and reports the state in the `RateLimit-*` headers. */
export function limitRate({ kernel, request, reply, caller, tenant }: Exchange): void {
  const limit = kernel.config.rateLimitPerMinute;
  if (limit === 0) return;
  const now = kernel.now().getTime();
  const state = takeFromRateLimit(kernel.limiter, limit, { caller, tenant, address: request.ip, now });
  reply.header('ratelimit-limit', limit);
  reply.header('ratelimit-remaining', state.remaining);
  reply.header('ratelimit-reset', state.seconds);
  if (!state.allowed) throw tooManyRequests(state);
}
