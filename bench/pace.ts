import { setTimeout as delay } from 'node:timers/promises';

/** Calls `work` at an even rate, with 0, 1, 2, … It does not wait for earlier calls; resolves when all have settled. */
export async function atRate(count: number, perSecond: number, work: (n: number) => unknown): Promise<void> {
  const startedAt = performance.now();
  const running: unknown[] = [];
  for (let n = 0; n < count; n += 1) {
    const wait = startedAt + (n * 1_000) / perSecond - performance.now();
    if (wait > 0) await delay(wait);
    running.push(work(n));
  }
  await Promise.all(running);
}

/** Milliseconds since 1970, with fractions: comparable between processes of one machine. */
export function preciseTime(): number {
  return performance.timeOrigin + performance.now();
}
