import { pick, type Random } from '@chowk/kit';
import type { Status } from './schemas.ts';

const day = 86_400_000;
/** Since when the shop works here; what is older was brought along as it was. */
const ownDays = 90;

/** What has become of orders by their age in days: how many of a hundred, one after the other. */
const fates: readonly { readonly until: number; readonly shares: Partial<Record<Status, number>> }[] = [
  { until: 1, shares: { pending: 45, confirmed: 35, processing: 12, cancelled: 5, failed: 3 } },
  { until: 3, shares: { pending: 5, confirmed: 15, processing: 40, shipped: 30, cancelled: 7, failed: 3 } },
  { until: 8, shares: { processing: 8, shipped: 42, delivered: 40, cancelled: 7, failed: 3 } },
  { until: 30, shares: { shipped: 4, delivered: 82, cancelled: 7, failed: 3, refunded: 4 } },
  { until: Number.POSITIVE_INFINITY, shares: { delivered: 85, cancelled: 7, failed: 3, refunded: 5 } },
];

const reasons: Partial<Record<Status, readonly string[]>> = {
  cancelled: ['Changed their mind', 'Ordered twice', 'Out of stock'],
  failed: ['The payment was refused', 'Nobody at the address'],
  refunded: ['Arrived broken', 'Did not fit', 'Wrong item sent'],
};

/** How an order came where it is. */
const ways: Readonly<Record<Status, readonly Status[]>> = {
  pending: ['pending'],
  confirmed: ['pending', 'confirmed'],
  processing: ['pending', 'confirmed', 'processing'],
  shipped: ['pending', 'confirmed', 'processing', 'shipped'],
  delivered: ['pending', 'confirmed', 'processing', 'shipped', 'delivered'],
  cancelled: ['pending', 'cancelled'],
  failed: ['pending', 'failed'],
  refunded: ['pending', 'confirmed', 'shipped', 'delivered', 'refunded'],
};

export function statusOf(age: number, random: Random): Status {
  const { shares = {} } = fates.find(({ until }) => age < until * day) ?? {};
  let left = random() * 100;
  for (const [status, share] of Object.entries(shares)) {
    left -= share;
    if (left < 0) return status as Status;
  }
  return 'delivered';
}

interface Step {
  readonly status: Status;
  readonly at: number;
  readonly reason: string | null;
}

/** The history of an order, each step within two days of the one before and none later than today. */
export function stepsTo(
  status: Status,
  { placedAt, today }: { placedAt: number; today: number },
  random: Random,
): Step[] {
  if (today - placedAt > ownDays * day) return [{ status, at: placedAt, reason: reasonOf(status, random) }];
  const way = ways[status];
  const longest = Math.min(2 * day, (today - placedAt) / way.length);
  let at = placedAt;
  return way.map((step, index) => {
    if (index > 0) at += 1 + Math.floor(random() * longest);
    return { status: step, at, reason: reasonOf(step, random) };
  });
}

function reasonOf(status: Status, random: Random): string | null {
  const known = reasons[status];
  return known ? pick(random, known) : null;
}
