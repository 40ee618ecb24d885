import type { SystemCtx } from '@chowk/kit';

/** Counts failures, and says whether one more attempt is allowed. */
export interface Guard {
  /** Throws 429 after too many failures. */
  check(): void;
  count(): void;
}

/**
 * Slows guessing from one network, at one account, and at one account from everywhere. The last holds only for networks
 * its owner has not signed in from: a stranger can make it slow for strangers, but cannot lock the owner out.
 */
export function signInGuard(
  { system: { limits, options }, client: { network } }: SystemCtx,
  account: string,
  { known }: { known: boolean },
): Guard {
  const { loginFailuresPerMinute: few } = options;
  const counted: [key: string, most: number][] = [
    [`sign-in ${network} ${account}`, few],
    [`sign-in ${network}`, few * 10],
  ];
  if (!known) counted.push([`sign-in of ${account}`, few * 5]);
  return {
    check() {
      // `take` says for how long to wait; nothing is taken where there is no room.
      for (const [key, most] of counted) if (!limits.has(key, most)) limits.take(key, most);
    },
    count() {
      for (const [key, most] of counted) if (limits.has(key, most)) limits.take(key, most);
    },
  };
}
