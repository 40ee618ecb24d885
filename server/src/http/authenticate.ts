import { andThen, type MaybePromise } from '@chowk/kit';
import { resolveCaller } from '../actions/resolve-caller.ts';
import type { Exchange } from './exchange.ts';

/** Finds the caller that the bearer token belongs to, and its membership in the tenant. */
export function authenticate(exchange: Exchange): MaybePromise<void> {
  const { kernel, request, tenant } = exchange;
  const { authorization } = request.headers;
  const token = authorization && /^Bearer +([\w.~+/=-]+)$/i.exec(authorization)?.[1];
  return andThen(resolveCaller(kernel.identity, token, tenant), ({ caller, membership }) => {
    exchange.caller = caller;
    exchange.membership = membership;
  });
}
