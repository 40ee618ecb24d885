import { isIPv6 } from 'node:net';
import type { SystemCtx } from '@chowk/kit';

/** Who owns an IPv6 address owns its /64 too: to count each alone would be to count nothing. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length;
  return [...left, ...Array.from({ length: zeros }, () => '0'), ...right].slice(0, 4).join(':');
}

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
  const network = networkOf(ctx.client.address);
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
