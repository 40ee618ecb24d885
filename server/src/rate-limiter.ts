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
  /** Until the window ends, or for who was refused, until it will be let in if it stays quiet. */
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
    // Of the window before, as much counts as still lies within the last minute. In whole numbers, so that who comes
    // at the very moment it was told is let in.
    const room = limit - window.count - 1;
    const allowed = window.previous * (windowMs - elapsed) <= room * windowMs;
    const waitMs = (allowed ? windowMs : untilRoom(window, limit)) - elapsed;
    if (allowed) window.count += 1;
    const remaining = Math.max(0, Math.floor(room - window.previous * (1 - elapsed / windowMs)));
    return { allowed, remaining, seconds: Math.ceil(waitMs / 1_000) };
  }
}

/** When there will be room for one more, in milliseconds after the window began. */
function untilRoom({ count, previous }: Window, limit: number): number {
  const room = limit - count - 1;
  if (room >= 0) return (windowMs * (previous - room)) / previous;
  return windowMs + (windowMs * (count - limit + 1)) / count;
}
