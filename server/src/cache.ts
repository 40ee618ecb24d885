import { LRUCache } from 'lru-cache';
import type { MaybePromise } from './maybe-promise.ts';

/** The option `max` of LRUCache would allocate all entries at once. */
export const atMost = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 });

/**
 * A cache in front of a slower authority that never serves what was invalidated: a lookup that was under way when its
 * key was invalidated still answers its callers, but its result is not kept. Misses are kept too, apart from the hits,
 * so that a flood of unknown keys pushes nothing useful out.
 */
export class GuardedCache<Value extends object> {
  readonly #hits: LRUCache<string, Value>;
  readonly #misses: LRUCache<string, true>;
  readonly #loading = new Map<string, Promise<Value | undefined>>();
  readonly #load: (key: string) => Promise<Value | undefined>;
  #trusted = true;

  constructor({ max, load }: { max: number; load: (key: string) => Promise<Value | undefined> }) {
    this.#hits = new LRUCache(atMost(max));
    this.#misses = new LRUCache(atMost(Math.max(100, Math.floor(max / 10))));
    this.#load = load;
  }

  /** At once if the answer is at hand: most requests need not wait for anything. */
  get(key: string): MaybePromise<Value | undefined> {
    const hit = this.#hits.get(key);
    if (hit) return hit;
    if (this.#misses.get(key)) return undefined;
    if (!this.#trusted) return this.#load(key);
    return this.#loading.get(key) ?? this.#begin(key);
  }

  invalidate(key: string): void {
    this.#hits.delete(key);
    this.#misses.delete(key);
    this.#loading.delete(key);
  }

  /** Invalidates every value that matches, every miss, and every lookup under way. */
  invalidateWhere(matches: (value: Value) => boolean): void {
    for (const [key, value] of this.#hits) if (matches(value)) this.#hits.delete(key);
    this.#misses.clear();
    this.#loading.clear();
  }

  /** While changes may go unheard, nothing is kept and every lookup asks the authority. */
  trust(trusted: boolean): void {
    this.#trusted = trusted;
    this.invalidateWhere(() => true);
  }

  get size(): number {
    return this.#hits.size;
  }

  async #begin(key: string): Promise<Value | undefined> {
    const loading = this.#load(key);
    // Shared with other callers and kept only while no invalidation has removed it from here.
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
