import { fromCents, type Issues, invalid, toCents } from '@chowk/kit';
import type { NewOrderItem, Order, OrderChanges } from './schemas.ts';

const largest = toCents('9999999999.99');
const tooLarge = 'The items must cost at most 9999999999.99 together.';

/** The total of an order with these items, unless another is given. */
export function sumOf(items: readonly NewOrderItem[]): string {
  const cents = centsOf(items);
  if (cents > largest) throw invalid({ total: { code: 'too_large', message: tooLarge } });
  return fromCents(cents);
}

function centsOf(items: readonly NewOrderItem[]): bigint {
  return items.reduce((sum, { quantity, price }) => sum + BigInt(quantity) * toCents(price), 0n);
}

/** Adds what `sumOf` refuses; items that are wrong themselves have no sum. */
export function explainSum({ items, total }: Pick<OrderChanges, 'items' | 'total'>, issues: Issues): void {
  if (total !== undefined || !items || issues.has('total')) return;
  const isComplete = items.every(({ quantity, price }) => quantity !== undefined && price !== undefined);
  if (isComplete && centsOf(items) > largest) issues.add('total', tooLarge, 'too_large');
}

export function remainingOf({ total, refunded_total }: Order): string {
  return fromCents(toCents(total) - toCents(refunded_total));
}

export function totalProblem({ refunded_total }: Order, total: string | undefined): string | undefined {
  const isLess = total !== undefined && toCents(total) < toCents(refunded_total);
  return isLess ? `The total must be at least ${refunded_total}, the amount refunded.` : undefined;
}
