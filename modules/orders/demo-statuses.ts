import { pick, type Random } from '@chowk/kit';
import type { Status } from './schemas.ts';

const day = 86_400_000;
/** Orders that are older were imported with one line of history. */
const ownDays = 90;

/** Of a hundred orders of an age in days, how many are in which status. */
const shares: readonly { readonly until: number; readonly of: Partial<Record<Status, number>> }[] = [
  { until: 1, of: { pending: 45, confirmed: 35, processing: 12, cancelled: 5, failed: 3 } },
  { until: 3, of: { pending: 5, confirmed: 15, processing: 40, shipped: 30, cancelled: 7, failed: 3 } },
  { until: 8, of: { processing: 8, shipped: 42, delivered: 40, cancelled: 7, failed: 3 } },
  { until: 30, of: { shipped: 4, delivered: 82, cancelled: 7, failed: 3, refunded: 4 } },
  { until: Number.POSITIVE_INFINITY, of: { delivered: 85, cancelled: 7, failed: 3, refunded: 5 } },
];

const reasons: Partial<Record<Status, readonly string[]>> = {
  cancelled: ['Changed their mind', 'Ordered twice', 'Out of stock'],
  failed: ['The payment was refused', 'Nobody at the address'],
  refunded: ['Arrived broken', 'Did not fit', 'Wrong item sent'],
};

const usualPath: readonly Status[] = ['pending', 'confirmed', 'processing', 'shipped', 'delivered', 'refunded'];

export function statusOf(age: number, random: Random): Status {
  const { of = {} } = shares.find(({ until }) => age < until * day) ?? {};
  let left = random() * 100;
  for (const [status, share] of Object.entries(of)) {
    left -= share;
    if (left < 0) return status as Status;
  }
  return 'delivered';
}

/** The history of an order, each step within two days of the one before and none later than today. */
export function stepsTo(status: Status, { placedAt, today }: { placedAt: number; today: number }, random: Random) {
  const isOld = today - placedAt > ownDays * day;
  const path = usualPath.includes(status) ? usualPath.slice(0, usualPath.indexOf(status) + 1) : ['pending', status];
  const steps = isOld ? [status] : path;
  const longest = Math.min(2 * day, (today - placedAt) / steps.length);
  let at = placedAt;
  return steps.map((step, index) => {
    if (index > 0) at += 1 + Math.floor(random() * longest);
    const reason = reasons[step as Status];
    const [previous_status = null] = steps.slice(index - 1, index);
    return { status: step, previous_status, at: new Date(at), reason: reason ? pick(random, reason) : null };
  });
}
