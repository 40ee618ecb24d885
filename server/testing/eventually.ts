import { vi } from 'vitest';

/** Retries `check` until it no longer throws, for up to 45 seconds: longer than the first retries of a failed delivery. */
export function eventually<Result>(check: () => Result | Promise<Result>): Promise<Result> {
  return vi.waitFor(check, { timeout: 45_000, interval: 10 });
}
