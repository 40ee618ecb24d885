import type { FastifyRequest } from 'fastify';
import { resolveCaller } from '../actions/resolve-caller.ts';
import type { Exchange } from './exchange.ts';
import { countFailedLookup } from './rate-limit.ts';

/** Finds the caller that the bearer token belongs to, and its membership in the tenant. */
export async function authenticate(exchange: Exchange): Promise<void> {
  const { kernel, request, tenant } = exchange;
  const token = bearerToken(request);
  const found = resolveCaller(kernel.identity, token, tenant);
  const { caller, membership } = found instanceof Promise ? await found : found;
  if (token && !caller) countFailedLookup(exchange);
  exchange.caller = caller;
  exchange.membership = membership;
}

export function bearerToken({ headers: { authorization } }: FastifyRequest): string | undefined {
  return authorization && /^Bearer +([\w.~+/=-]+)$/i.exec(authorization)?.[1];
}
