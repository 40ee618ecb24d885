import { fromCents, type Issues, invalid, toCents } from '@chowk/kit';
import type { NewOrderItem, Order, OrderChanges, Status } from './schemas.ts';

/** What each status can change to. */
export const transitions: Readonly<Record<Status, readonly Status[]>> = {
  pending: ['confirmed', 'processing', 'shipped', 'delivered', 'cancelled', 'failed'],
  confirmed: ['processing', 'shipped', 'delivered', 'cancelled', 'failed', 'refunded'],
  processing: ['shipped', 'delivered', 'cancelled', 'failed', 'refunded'],
  shipped: ['delivered', 'failed', 'refunded'],
  delivered: ['refunded'],
  failed: ['pending', 'confirmed', 'cancelled'],
  cancelled: [],
  refunded: [],
};

export function statusProblem({ status: from }: Order, to: Status | undefined): string | undefined {
  const possible = transitions[from];
  if (to === undefined || to === from || possible.includes(to)) return undefined;
  const advice = possible.length === 0 ? `A ${from} order is final.` : `Allowed: ${possible.join(', ')}.`;
  return `The status cannot change from ${from} to ${to}. ${advice}`;
}

export function totalProblem({ refunded_total }: Order, total: string | undefined): string | undefined {
  const isLess = total !== undefined && toCents(total) < toCents(refunded_total);
  return isLess ? `The total must be at least ${refunded_total}, the amount refunded.` : undefined;
}

export function remainingOf({ total, refunded_total }: Order): string {
  return fromCents(toCents(total) - toCents(refunded_total));
}

const largestSum = toCents('9999999999.99');
const sumProblem = { code: 'too_large', message: 'The items must cost at most 9999999999.99 together.' } as const;

/** The total of an order with these items, unless another is given. */
export function sumOf(items: readonly NewOrderItem[]): string {
  const cents = centsOf(items);
  if (cents > largestSum) throw invalid({ total: sumProblem });
  return fromCents(cents);
}

function centsOf(items: readonly NewOrderItem[]): bigint {
  return items.reduce((sum, { quantity, price }) => sum + BigInt(quantity) * toCents(price), 0n);
}

/** Adds what `sumOf` would refuse. Items that are wrong themselves have no sum. */
export function explainSum({ items = [], total }: Pick<OrderChanges, 'items' | 'total'>, issues: Issues): void {
  const hasSum = items.every(({ quantity, price }) => quantity !== undefined && price !== undefined);
  if (total !== undefined || issues.has('total') || !hasSum || centsOf(items) <= largestSum) return;
  issues.add('total', sumProblem.message, sumProblem.code);
}
