import { vi } from 'vitest';

/** Retries `check` until it no longer throws, for up to 15 seconds. */
export function eventually<Result>(check: () => Result | Promise<Result>): Promise<Result> {
  return vi.waitFor(check, { timeout: 15_000, interval: 10 });
}
