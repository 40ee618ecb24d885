import { pick, pickByShare, type Random } from '@chowk/kit';
import type { Status } from './schemas.ts';

const day = 86_400_000;

/** Percentages of the statuses of orders that are younger than `days`. */
const shares: readonly { readonly days: number; readonly of: Partial<Record<Status, number>> }[] = [
  { days: 1, of: { pending: 45, confirmed: 35, processing: 12, cancelled: 5, failed: 3 } },
  { days: 3, of: { pending: 5, confirmed: 15, processing: 40, shipped: 30, cancelled: 7, failed: 3 } },
  { days: 8, of: { processing: 8, shipped: 42, delivered: 40, cancelled: 7, failed: 3 } },
  { days: 30, of: { shipped: 4, delivered: 82, cancelled: 7, failed: 3, refunded: 4 } },
  { days: Number.POSITIVE_INFINITY, of: { delivered: 85, cancelled: 7, failed: 3, refunded: 5 } },
];

const reasons: Partial<Record<Status, readonly string[]>> = {
  cancelled: ['Changed their mind', 'Ordered twice', 'Out of stock'],
  failed: ['Payment refused', 'Nobody at the address'],
  refunded: ['Arrived broken', 'Did not fit', 'Wrong item sent'],
};

const path: readonly Status[] = ['pending', 'confirmed', 'processing', 'shipped', 'delivered', 'refunded'];
/** Older orders have a single history entry, as if they were imported. */
const historyDays = 90;

export function statusAt(age: number, random: Random): Status {
  return pickByShare(random, shares.find(({ days }) => age < days * day)?.of ?? { delivered: 1 });
}

/** History entries up to the status, at most two days apart and none later than today. */
export function historyOf(status: Status, placedAt: number, today: number, random: Random) {
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
