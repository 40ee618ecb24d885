import { pick, pickByShare, type Random } from '@chowk/kit';
import data from './demo-data.json' with { type: 'json' };
import type { Status } from './schemas.ts';

const day = 86_400_000;
const reasons: Partial<Record<Status, string[]>> = data.reasons;
const path: readonly Status[] = ['pending', 'confirmed', 'processing', 'shipped', 'delivered', 'refunded'];
/** Older orders have a single history entry, as if they were imported. */
const historyDays = 90;

export function statusAt(age: number, random: Random): Status {
  const shares = data.statuses.find(({ days }) => age < days * day)?.percent;
  return pickByShare<Status>(random, shares ?? { delivered: 1 });
}

/** History entries up to the status, at most two days apart and none later than today. */
export function generateHistory(status: Status, placedAt: number, today: number, random: Random) {
  const steps = path.includes(status) ? path.slice(0, path.indexOf(status) + 1) : ['pending' as const, status];
  if (today - placedAt > historyDays * day) steps.splice(0, steps.length - 1);
  const maxStep = Math.min(2 * day, (today - placedAt) / steps.length);
  let time = placedAt;
  return steps.map((step, index) => {
    if (index > 0) time += 1 + Math.floor(random() * maxStep);
    const reason = pick(random, reasons[step] ?? [null]);
    return { status: step, previous_status: steps[index - 1] ?? null, at: new Date(time), reason };
  });
}
