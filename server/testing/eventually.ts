import { vi } from 'vitest';

/** Waits until `check` no longer throws; long enough for a machine that has other things to do. */
export function eventually<Result>(check: () => Result | Promise<Result>): Promise<Result> {
  return vi.waitFor(check, { timeout: 15_000, interval: 10 });
}
