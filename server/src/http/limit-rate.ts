import { fail } from '../errors.ts';
import { networkOf } from '../network.ts';
import type { Exchange } from './exchange.ts';

/** So many requests a minute for each user in each tenant, and for each network where nobody is signed in. */
export function limitRate({ kernel, request, reply, caller, tenant }: Exchange): void {
  const limit = kernel.config.rateLimitPerMinute;
  if (limit === 0) return;
  const key = caller ? `${tenant?.id ?? ''} ${caller.id}` : networkOf(request.ip);
  const { allowed, remaining, seconds } = kernel.limiter.take(key, limit, kernel.now().getTime());
  reply.header('ratelimit-limit', limit);
  reply.header('ratelimit-remaining', remaining);
  reply.header('ratelimit-reset', seconds);
  if (allowed) return;
  throw fail('http.too_many_requests', { seconds }, { headers: { 'Retry-After': String(seconds) } });
}
