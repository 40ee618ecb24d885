import type { SystemCtx } from '@chowk/kit';

export interface Guard {
  /** Throws 429 after too many failures. */
  check(): void;
  count(): void;
}

/**
 * Limits failures per network and account, per network, and per account. The last limit does not apply to networks from
 * which the owner has signed in before, so that a stranger cannot lock the owner out.
 */
export function signInGuard(
  { system: { limits, options }, client: { network } }: SystemCtx,
  account: string,
  { isKnownNetwork }: { isKnownNetwork: boolean },
): Guard {
  const { loginFailuresPerMinute: max } = options;
  const limited: [key: string, perMinute: number][] = [
    [`sign-in ${network} ${account}`, max],
    [`sign-in ${network}`, max * 10],
  ];
  if (!isKnownNetwork) limited.push([`sign-in of ${account}`, max * 5]);
  return {
    check() {
      // `take` throws with the time to wait and counts nothing when the limit is reached.
      for (const [key, perMinute] of limited) if (!limits.has(key, perMinute)) limits.take(key, perMinute);
    },
    count() {
      for (const [key, perMinute] of limited) if (limits.has(key, perMinute)) limits.take(key, perMinute);
    },
  };
}
