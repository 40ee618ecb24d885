import type { CountStore, WindowCount, WindowTotal } from '../rate-limiter.ts';
import type { Redis } from './redis.ts';

/** Two windows and a moment for clocks that differ. */
const keptSeconds = 150;

/** Rate limits that all processes count together. */
export function redisCounts({ client }: Redis, prefix: string): CountStore {
  return async (counts) => {
    const batch = client.pipeline();
    for (const { key, window, count } of counts) {
      const current = `${prefix}rate:${window}:${key}`;
      batch
        .incrby(current, count)
        .expire(current, keptSeconds)
        .get(`${prefix}rate:${window - 1}:${key}`);
    }
    const answers = ((await batch.exec()) ?? []).map(([error, answer]) => {
      if (error) throw error;
      return Number(answer ?? 0);
    });
    return counts.map((_: WindowCount, index): WindowTotal => {
      return { count: answers[index * 3] ?? 0, previous: answers[index * 3 + 2] ?? 0 };
    });
  };
}
