import { andThen, type MaybePromise } from '../maybe-promise.ts';
import type { Exchange } from './exchange.ts';

/** A token that is nobody's leaves the caller unknown; whether that matters is for `authorise` to say. */
export function authenticate(exchange: Exchange): MaybePromise<void> {
  const { kernel, request, tenant } = exchange;
  const token = bearerToken(request.headers.authorization);
  if (!token) return undefined;
  return andThen(kernel.identity.authenticate(token), (caller) => {
    if (!caller) return undefined;
    exchange.caller = caller;
    if (!tenant) return undefined;
    return andThen(kernel.identity.membership(caller, tenant.id), (membership) => {
      exchange.membership = membership;
    });
  });
}

function bearerToken(authorization: string | undefined): string | undefined {
  return authorization && /^Bearer +([\w.~+/=-]+)$/i.exec(authorization)?.[1];
}
