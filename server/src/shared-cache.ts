import { LRUCache } from 'lru-cache';

/**
 * A cache for values that may be lost or slightly outdated. For values that must be invalidated exactly use
 * `GuardedCache`.
 */
export interface SharedCache {
  get(key: string): Promise<unknown>;
  set(key: string, value: unknown, seconds: number): Promise<void>;
  delete(key: string): Promise<void>;
}

/** The cache of one process. Values are stored as JSON, so that every caller gets its own copy. */
export class LocalCache implements SharedCache {
  readonly #values = new LRUCache<string, string>({ max: 10_000, maxSize: 32 * 2 ** 20, sizeCalculation: entrySize });

  async get(key: string): Promise<unknown> {
    const text = this.#values.get(key);
    return text === undefined ? undefined : JSON.parse(text);
  }

  async set(key: string, value: unknown, seconds: number): Promise<void> {
    this.#values.set(key, JSON.stringify(value), { ttl: seconds * 1_000 });
  }

  async delete(key: string): Promise<void> {
    this.#values.delete(key);
  }
}

function entrySize(text: string, key: string): number {
  return text.length + key.length + 1;
}
