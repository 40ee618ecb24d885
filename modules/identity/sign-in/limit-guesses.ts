import { platformState, type SystemCtx } from '@chowk/kit';
import { fail } from '../errors.ts';

export interface Limit {
  readonly key: string;
  readonly perMinute: number;
}

/** The number of guesses in progress by key, in this process. */
const inProgress = platformState(() => new Map<string, number>());

/**
 * Runs a guess, such as the comparison of a password. Throws 429 after too many wrong ones; those in progress count too,
 * because a password is compared long after its request has arrived.
 */
export async function limitGuesses(
  { system }: SystemCtx,
  limits: readonly Limit[],
  guess: () => Promise<boolean>,
): Promise<boolean> {
  const { has, take } = system.limits;
  const running = inProgress(system);
  const count = ({ key }: Limit) => running.get(key) ?? 0;
  for (const limit of limits) {
    // `take` throws with the time to wait and counts nothing when the limit is reached.
    if (!has(limit.key, limit.perMinute)) take(limit.key, limit.perMinute);
    if (!has(limit.key, limit.perMinute - count(limit))) throw fail('auth.too_many_attempts', {}, retryAfter);
  }
  for (const limit of limits) running.set(limit.key, count(limit) + 1);
  try {
    const isRight = await guess();
    if (!isRight) for (const { key, perMinute } of limits) if (has(key, perMinute)) take(key, perMinute);
    return isRight;
  } finally {
    for (const limit of limits) {
      const others = count(limit) - 1;
      if (others > 0) running.set(limit.key, others);
      else running.delete(limit.key);
    }
  }
}

const retryAfter = { headers: { 'Retry-After': '1' } };
