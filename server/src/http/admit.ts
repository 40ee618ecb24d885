import type { MaybePromise } from '../maybe-promise.ts';
import { contextOf, type Exchange } from './exchange.ts';

/** Lets the route itself refuse the call. A repeated one is not asked again: it has its answer already. */
export function admit(exchange: Exchange): MaybePromise<void> {
  const { route } = exchange.mounted;
  return route.admit?.(contextOf(exchange), { headers: exchange.request.headers });
}
