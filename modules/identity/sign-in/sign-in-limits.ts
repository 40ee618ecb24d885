import type { SystemCtx } from '@chowk/kit';
import type { Limit } from './limit-guesses.ts';

/**
 * Limits failures per network and account, per network, and per account. The last limit does not apply to networks from
 * which the owner has signed in before, so that a stranger cannot lock the owner out.
 */
export function signInLimits(
  { system: { options }, client: { network } }: SystemCtx,
  account: string,
  { isKnownNetwork }: { isKnownNetwork: boolean },
): Limit[] {
  const { loginFailuresPerMinute: max } = options;
  const limits = [
    { key: `sign-in ${network} ${account}`, perMinute: max },
    { key: `sign-in ${network}`, perMinute: max * 10 },
  ];
  if (!isKnownNetwork) limits.push({ key: `sign-in of ${account}`, perMinute: max * 5 });
  return limits;
}
