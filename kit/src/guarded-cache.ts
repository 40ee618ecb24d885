import { LRUCache } from 'lru-cache';
import type { MaybePromise } from './when-ready.ts';

/** The option `max` of LRUCache would allocate all entries at once. */
export const atMost = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 });

type Load<Value, Source> = (key: string, source: Source) => Promise<Value | undefined>;

/**
 * A cache that never serves an invalidated value: the result of a load during an invalidation is not cached. Misses are
 * cached separately and evict no hits. `Source` is what a load needs besides the key.
 */
export class GuardedCache<Value extends object, Source = void> {
  readonly #hits: LRUCache<string, Value>;
  readonly #misses: LRUCache<string, true>;
  readonly #loading = new Map<string, Promise<Value | undefined>>();
  readonly #load: Load<Value, Source>;
  #isTrusted = true;

  /** `max` is the sum of the sizes of all values. The default size is 1. */
  constructor({
    max,
    load,
    entrySize,
  }: { max: number; load: Load<Value, Source>; entrySize?: (value: Value) => number }) {
    this.#hits = new LRUCache(entrySize ? { maxSize: max, sizeCalculation: entrySize } : atMost(max));
    this.#misses = new LRUCache(atMost(Math.max(100, Math.floor(max / 10))));
    this.#load = load;
  }

  /** Returns a promise only if it has to load. */
  get(key: string, source: Source): MaybePromise<Value | undefined> {
    const hit = this.#hits.get(key);
    if (hit) return hit;
    if (this.#misses.get(key)) return undefined;
    if (!this.#isTrusted) return this.#load(key, source);
    return this.#loading.get(key) ?? this.#loadShared(key, source);
  }

  invalidate(key: string): void {
    this.#hits.delete(key);
    this.#misses.delete(key);
    this.#loading.delete(key);
  }

  /** Invalidates every matching value, every miss and every running load. */
  invalidateWhere(matches: (value: Value) => boolean): void {
    for (const [key, value] of this.#hits) if (matches(value)) this.#hits.delete(key);
    this.#misses.clear();
    this.#loading.clear();
  }

  /** While invalidations may be missed, nothing is cached and every lookup loads. */
  trust(isTrusted: boolean): void {
    this.#isTrusted = isTrusted;
    this.invalidateWhere(() => true);
  }

  get size(): number {
    return this.#hits.size;
  }

  async #loadShared(key: string, source: Source): Promise<Value | undefined> {
    const loading = this.#load(key, source);
    // An invalidation removes it from the map, and then its result is not cached.
    this.#loading.set(key, loading);
    try {
      const value = await loading;
      if (this.#loading.get(key) === loading) {
        if (value) this.#hits.set(key, value);
        else this.#misses.set(key, true);
      }
      return value;
    } finally {
      if (this.#loading.get(key) === loading) this.#loading.delete(key);
    }
  }
}
