import { LRUCache } from 'lru-cache';
import type { MaybePromise } from './maybe-promise.ts';

/**
 * A cache that never keeps invalidated values: if a key is invalidated while it is loading, the callers get the result,
 * but it is not cached. Misses are cached separately, so that a flood of unknown keys does not evict hits.
 */
export class GuardedCache<Value extends object> {
  readonly #hits: LRUCache<string, Value>;
  readonly #misses: LRUCache<string, true>;
  readonly #loading = new Map<string, Promise<Value | undefined>>();
  readonly #load: (key: string) => Promise<Value | undefined>;
  #trusted = true;

  constructor({ max, load }: { max: number; load: (key: string) => Promise<Value | undefined> }) {
    this.#hits = new LRUCache({ max });
    this.#misses = new LRUCache({ max: Math.max(100, Math.floor(max / 10)) });
    this.#load = load;
  }

  /** Returns a cached value without a promise. */
  get(key: string): MaybePromise<Value | undefined> {
    const hit = this.#hits.get(key);
    if (hit) return hit;
    if (this.#misses.get(key)) return undefined;
    if (!this.#trusted) return this.#load(key);
    return this.#loading.get(key) ?? this.#startLoading(key);
  }

  invalidate(key: string): void {
    this.#hits.delete(key);
    this.#misses.delete(key);
    this.#loading.delete(key);
  }

  /** Invalidates all matching values, all misses and all running loads. */
  invalidateWhere(matches: (value: Value) => boolean): void {
    for (const [key, value] of this.#hits) if (matches(value)) this.#hits.delete(key);
    this.#misses.clear();
    this.#loading.clear();
  }

  /** While invalidations may be missed (`false`), nothing is cached and every `get` loads. */
  trust(trusted: boolean): void {
    this.#trusted = trusted;
    this.invalidateWhere(() => true);
  }

  get size(): number {
    return this.#hits.size;
  }

  async #startLoading(key: string): Promise<Value | undefined> {
    const loading = this.#load(key);
    // Shared by concurrent callers. The result is cached only if no invalidation has removed the entry.
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
