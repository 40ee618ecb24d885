import type { SystemCtx } from '@chowk/kit';
import type { Limit } from './limit-guesses.ts';

/**
 * Limits failures per network and account, per network, per IPv6 /48, and per account. Networks from which the account has
 * signed in before have counts of their own, so that a stranger cannot lock the owner out, from however many networks.
 */
export function signInLimits(
  { system: { options }, client: { network, site } }: SystemCtx,
  account: string,
  { isKnown }: { readonly isKnown: boolean },
): Limit[] {
  const { loginFailuresPerMinute: max } = options;
  const key = isKnown ? 'known sign-in' : 'sign-in';
  const limits = [
    { key: `${key} ${network} ${account}`, perMinute: max },
    { key: `${key} ${network}`, perMinute: max * 10 },
  ];
  if (isKnown) return limits;
  if (site !== network) limits.push({ key: `sign-in ${site}`, perMinute: max * 20 });
  return [...limits, { key: `sign-in of ${account}`, perMinute: max * 5 }];
}
