import type { CountStore, WindowCount, WindowTotal } from '../rate-limiter.ts';
import type { Redis } from './redis.ts';

/** Two windows of a minute, and a margin for differing clocks. */
const expirySeconds = 150;

/** Counts of the rate limits, shared by all processes. */
export class RedisCounts implements CountStore {
  readonly #redis: Redis;
  readonly #prefix: string;

  constructor(redis: Redis, prefix: string) {
    this.#redis = redis;
    this.#prefix = `${prefix}rate:`;
  }

  get isAvailable(): boolean {
    return this.#redis.isAvailable;
  }

  async add(counts: readonly WindowCount[]): Promise<WindowTotal[]> {
    const batch = this.#redis.client.pipeline();
    for (const { key, window, count } of counts) {
      const current = `${this.#prefix}${window}:${key}`;
      batch
        .incrby(current, count)
        .expire(current, expirySeconds)
        .get(`${this.#prefix}${window - 1}:${key}`);
    }
    const results = ((await batch.exec()) ?? []).map(([error, result]) => {
      if (error) throw error;
      return Number(result ?? 0);
    });
    return counts.map((_, index) => ({ count: results[index * 3] ?? 0, previous: results[index * 3 + 2] ?? 0 }));
  }
}
