import { LRUCache } from 'lru-cache';
import { atMost } from './cache.ts';

const windowMs = 60_000;

interface Window {
  number: number;
  /** What all processes have done, as far as this one knows. */
  count: number;
  previous: number;
  /** What of it the others do not know yet. */
  untold: number;
}

export interface WindowCount {
  readonly key: string;
  readonly window: number;
  readonly count: number;
}

export interface WindowTotal {
  readonly count: number;
  readonly previous: number;
}

/** Where processes count together. */
export interface CountStore {
  /** Whether it is there now. */
  readonly up: boolean;
  /** Adds what this process has counted to what all have, and answers with the totals in the same order. */
  add(counts: readonly WindowCount[]): Promise<readonly WindowTotal[]>;
}

/** How often processes tell each other what they have counted. */
const tellMs = 100;
const mostKeys = 100_000;
/** So many keys are told in one go: a crowd that gathered while nobody could be told must not be too much at once. */
const mostTold = 1_000;

export interface RateLimitState {
  readonly allowed: boolean;
  readonly remaining: number;
  /** Until the window ends, or for who was refused, until it will be let in if it stays quiet. */
  readonly seconds: number;
}

/**
 * Counts what each key has done in the last minute. Bounded, so that a flood of keys cannot fill the memory. Where
 * processes count together, each decides at once by what it knows and tells the others soon after: nobody waits for a
 * count, and a limit is overstepped by no more than is done in that moment.
 */
export class RateLimiter {
  readonly #windows = new LRUCache<string, Window>(atMost(mostKeys));
  readonly #untold = new Map<string, Window>();
  readonly #store: CountStore | undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  #telling: Promise<void> | undefined;

  constructor(store?: CountStore) {
    this.#store = store;
    if (store) this.#timer = setInterval(() => void this.tell(), tellMs).unref();
  }

  take(key: string, limit: number, now: number): RateLimitState {
    const number = Math.floor(now / windowMs);
    const elapsed = now % windowMs;
    let window = this.#windows.get(key);
    if (!window || window.number !== number) {
      window = { number, count: 0, previous: window?.number === number - 1 ? window.count : 0, untold: 0 };
      this.#windows.set(key, window);
    }
    // Of the window before, as much counts as still lies within the last minute. In whole numbers, so that who comes
    // at the very moment it was told is let in.
    const room = limit - window.count - 1;
    const allowed = window.previous * (windowMs - elapsed) <= room * windowMs;
    const waitMs = (allowed ? windowMs : untilRoom(window, limit)) - elapsed;
    if (allowed) this.#count(key, window);
    const remaining = Math.max(0, Math.floor(room - window.previous * (1 - elapsed / windowMs)));
    return { allowed, remaining, seconds: Math.ceil(waitMs / 1_000) };
  }

  /** Whether `take` would be allowed. */
  has(key: string, limit: number, now: number): boolean {
    const window = this.#windows.get(key);
    if (!window) return limit > 0;
    const number = Math.floor(now / windowMs);
    const elapsed = now % windowMs;
    const [count, previous] =
      window.number === number ? [window.count, window.previous] : [0, window.number === number - 1 ? window.count : 0];
    return previous * (windowMs - elapsed) <= (limit - count - 1) * windowMs;
  }

  /** Tells the others and hears of them. What cannot be told now is told with the next. */
  tell(): Promise<void> {
    this.#telling ??= this.#exchange().finally(() => {
      this.#telling = undefined;
    });
    return this.#telling;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #count(key: string, window: Window): void {
    window.count += 1;
    if (!this.#store) return;
    window.untold += 1;
    this.#keepUntold(key, window);
  }

  /** Bounded like the windows: the longest untold are forgotten first. */
  #keepUntold(key: string, window: Window): void {
    this.#untold.set(key, window);
    if (this.#untold.size <= mostKeys) return;
    for (const [oldest] of this.#untold) {
      this.#untold.delete(oldest);
      return;
    }
  }

  async #exchange(): Promise<void> {
    if (!this.#store?.up) return;
    const told = [...this.#untold.entries().take(mostTold)].map(([key, window]) => ({
      key,
      window,
      count: window.untold,
    }));
    if (told.length === 0) return;
    for (const { key } of told) this.#untold.delete(key);
    try {
      const counts = told.map(({ key, window, count }) => ({ key, window: window.number, count }));
      const totals = await this.#store.add(counts);
      for (const [index, { window, count }] of told.entries()) {
        const total = totals[index];
        window.untold -= count;
        if (!total) continue;
        window.count = Math.max(window.count, total.count + window.untold);
        window.previous = Math.max(window.previous, total.previous);
      }
    } catch {
      for (const { key, window } of told) if (!this.#untold.has(key)) this.#keepUntold(key, window);
    }
  }
}

/** When there will be room for one more, in milliseconds after the window began. */
function untilRoom({ count, previous }: Window, limit: number): number {
  const room = limit - count - 1;
  if (room >= 0) return (windowMs * (previous - room)) / previous;
  return windowMs + (windowMs * (count - limit + 1)) / count;
}
