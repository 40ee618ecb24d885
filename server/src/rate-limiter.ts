import { LRUCache } from 'lru-cache';

const windowMs = 60_000;

interface Window {
  number: number;
  count: number;
  previous: number;
}

export interface RateLimitState {
  readonly allowed: boolean;
  readonly remaining: number;
  /** Until the window ends. */
  readonly seconds: number;
}

/** Counts what each key has done in the last minute. Bounded, so that a flood of keys cannot fill the memory. */
export class RateLimiter {
  readonly #windows = new LRUCache<string, Window>({ max: 100_000 });

  take(key: string, limit: number, now: number): RateLimitState {
    const number = Math.floor(now / windowMs);
    const elapsed = now % windowMs;
    let window = this.#windows.get(key);
    if (!window || window.number !== number) {
      window = { number, count: 0, previous: window?.number === number - 1 ? window.count : 0 };
      this.#windows.set(key, window);
    }
    // Of the window before, as much counts as still lies within the last minute.
    const used = window.count + 1 + window.previous * (1 - elapsed / windowMs);
    const allowed = used <= limit;
    if (allowed) window.count += 1;
    const remaining = Math.max(0, Math.floor(limit - used));
    return { allowed, remaining, seconds: Math.ceil((windowMs - elapsed) / 1_000) };
  }
}
