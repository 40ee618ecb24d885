import { atMost } from '@chowk/kit/kernel';
import { LRUCache } from 'lru-cache';

const windowMs = 60_000;

interface Window {
  number: number;
  /** Requests of all processes that this process knows of. */
  count: number;
  previous: number;
  /** Requests of this process that are not in the store yet. */
  unsynced: number;
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

/** Counts shared by all processes. */
export interface CountStore {
  readonly isAvailable: boolean;
  /** Adds the counts of this process and returns the totals in the same order. */
  add(counts: readonly WindowCount[]): Promise<readonly WindowTotal[]>;
}

const syncIntervalMs = 100;
const maxKeys = 100_000;
/** Limits the first batches after an outage of the store. */
const maxKeysPerSync = 1_000;

export interface RateLimitState {
  readonly allowed: boolean;
  readonly remaining: number;
  /** Until the window ends or, for a refused request, until the next one is allowed. */
  readonly seconds: number;
}

/**
 * A sliding window over the last minute per key, for a bounded number of keys. With a store, each process decides at once
 * by its own knowledge and synchronizes every 100 ms, so a limit can be exceeded by the requests of that interval.
 */
export class RateLimiter {
  readonly #windows = new LRUCache<string, Window>(atMost(maxKeys));
  readonly #unsynced = new Map<string, Window>();
  readonly #store: CountStore | undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  #syncing: Promise<void> | undefined;

  constructor(store?: CountStore) {
    this.#store = store;
    if (store) this.#timer = setInterval(() => void this.sync(), syncIntervalMs).unref();
  }

  /** Counts a request, or an amount of at most `limit`, unless it is above the limit. */
  take(key: string, limit: number, now: number, amount = 1): RateLimitState {
    const window = this.#windowAt(key, now);
    const state = windowState(window, limit, now, amount);
    if (state.allowed) this.#count(key, window, amount);
    return state;
  }

  /** What `take` would return; counts nothing. */
  peek(key: string, limit: number, now: number): RateLimitState {
    return windowState(this.#windowAt(key, now), limit, now, 1);
  }

  /** Exchanges counts with the store. Counts that cannot be sent are sent with the next call. */
  sync(): Promise<void> {
    this.#syncing ??= this.#exchange().finally(() => {
      this.#syncing = undefined;
    });
    return this.#syncing;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #windowAt(key: string, now: number): Window {
    const number = Math.floor(now / windowMs);
    const window = this.#windows.get(key);
    if (window?.number === number) return window;
    return { number, count: 0, previous: window?.number === number - 1 ? window.count : 0, unsynced: 0 };
  }

  #count(key: string, window: Window, amount: number): void {
    if (window.count === 0) this.#windows.set(key, window);
    window.count += amount;
    if (!this.#store) return;
    window.unsynced += amount;
    this.#queueForSync(key, window);
  }

  /** Bounded like the windows: the oldest entry is dropped. */
  #queueForSync(key: string, window: Window): void {
    this.#unsynced.set(key, window);
    if (this.#unsynced.size <= maxKeys) return;
    for (const [oldest] of this.#unsynced) {
      this.#unsynced.delete(oldest);
      return;
    }
  }

  async #exchange(): Promise<void> {
    if (!this.#store?.isAvailable) return;
    const batch = [...this.#unsynced.entries().take(maxKeysPerSync)].map(([key, window]) => ({
      key,
      window,
      count: window.unsynced,
    }));
    if (batch.length === 0) return;
    for (const { key } of batch) this.#unsynced.delete(key);
    try {
      const counts = batch.map(({ key, window, count }) => ({ key, window: window.number, count }));
      const totals = await this.#store.add(counts);
      for (const [index, { window, count }] of batch.entries()) {
        const total = totals[index];
        window.unsynced -= count;
        if (!total) continue;
        window.count = Math.max(window.count, total.count + window.unsynced);
        window.previous = Math.max(window.previous, total.previous);
      }
    } catch {
      for (const { key, window } of batch) if (!this.#unsynced.has(key)) this.#queueForSync(key, window);
    }
  }
}

function windowState(window: Window, limit: number, now: number, amount: number): RateLimitState {
  const elapsed = now % windowMs;
  // The previous window counts by its share of the last minute. In integers, so that a retry exactly at the announced
  // time is allowed.
  const room = limit - window.count - amount;
  const allowed = window.previous * (windowMs - elapsed) <= room * windowMs;
  const waitMs = (allowed ? windowMs : msUntilAllowed(window, room)) - elapsed;
  const remaining = Math.max(0, Math.floor(room - window.previous * (1 - elapsed / windowMs)));
  return { allowed, remaining, seconds: Math.ceil(waitMs / 1_000) };
}

/** When there is room for the amount, in milliseconds after the window began. */
function msUntilAllowed({ count, previous }: Window, room: number): number {
  if (room >= 0) return (windowMs * (previous - room)) / previous;
  return windowMs + (windowMs * -room) / count;
}
