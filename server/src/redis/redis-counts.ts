import type { CountStore, WindowCount, WindowTotal } from '../rate-limiter.ts';
import type { Redis } from './redis.ts';

/** Two windows and a moment for clocks that differ. */
const keptSeconds = 150;

/** Rate limits that all processes count together. */
export class RedisCounts implements CountStore {
  readonly #redis: Redis;
  readonly #prefix: string;

  constructor(redis: Redis, prefix: string) {
    this.#redis = redis;
    this.#prefix = `${prefix}rate:`;
  }

  get up(): boolean {
    return this.#redis.up;
  }

  async add(counts: readonly WindowCount[]): Promise<WindowTotal[]> {
    const batch = this.#redis.client.pipeline();
    for (const { key, window, count } of counts) {
      const current = `${this.#prefix}${window}:${key}`;
      batch
        .incrby(current, count)
        .expire(current, keptSeconds)
        .get(`${this.#prefix}${window - 1}:${key}`);
    }
    const answers = ((await batch.exec()) ?? []).map(([error, answer]) => {
      if (error) throw error;
      return Number(answer ?? 0);
    });
    return counts.map((_, index) => ({ count: answers[index * 3] ?? 0, previous: answers[index * 3 + 2] ?? 0 }));
  }
}
