import type { SystemCtx } from '@chowk/kit';

/** Counts what failed, and says whether one more may be tried. */
export interface Guard {
  /** Throws 429 once too much has failed. */
  check(): void;
  count(): void;
}

/**
 * Slows guessing from one network, at one account, and at one account from everywhere. The last holds only for networks
 * its owner has not signed in from: a stranger can make it slow for strangers, but cannot lock the owner out.
 */
export function signInGuard(ctx: SystemCtx, account: string, { known }: { known: boolean }): Guard {
  const { loginFailuresPerMinute: few } = ctx.platform.options;
  const { network } = ctx.client;
  const limits: [string, number][] = [
    [`sign-in ${network} ${account}`, few],
    [`sign-in ${network}`, few * 10],
    ...(known ? [] : [[`sign-in of ${account}`, few * 5] as [string, number]]),
  ];
  return guard(ctx, limits);
}

function guard({ platform }: SystemCtx, limits: readonly [string, number][]): Guard {
  return {
    check() {
      // `take` says for how long to wait; nothing is taken where there is no room.
      for (const [key, most] of limits) if (!platform.limits.has(key, most)) platform.limits.take(key, most);
    },
    count() {
      for (const [key, most] of limits) if (platform.limits.has(key, most)) platform.limits.take(key, most);
    },
  };
}
