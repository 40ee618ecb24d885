import { type Ctx, forbidden, fromCents, type Issues, toCents } from '@chowk/kit';
import type { NewOrderItem, Order, Status } from './schemas.ts';

/** The statuses that each status can change to. */
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
  const allowed = transitions[from];
  if (to === undefined || to === from || allowed.includes(to)) return undefined;
  const advice = allowed.length === 0 ? `A ${from} order is final.` : `Allowed: ${allowed.join(', ')}.`;
  return `The status cannot change from ${from} to ${to}. ${advice}`;
}

/** Permissions that a status needs in addition to orders.create or orders.edit. */
const permissions: Partial<Record<Status, string>> = { cancelled: 'orders.cancel', refunded: 'orders.refund' };

export function mustBeAllowed(ctx: Ctx, status: Status): void {
  const permission = permissions[status];
  if (permission !== undefined && !ctx.can(permission)) throw forbidden(permission);
}

/** Items, total and date of orders with these statuses cannot change. */
export const closedStatuses: ReadonlySet<Status> = new Set(['shipped', 'delivered', 'cancelled', 'refunded']);

export function currencyProblem(order: Order, currency: string | undefined): string | undefined {
  const differs = currency !== undefined && currency !== order.currency;
  return differs ? `The currency is set when an order is created; it stays ${order.currency}.` : undefined;
}

export function totalProblem({ refunded_total }: Order, total: string | undefined): string | undefined {
  const isLess = total !== undefined && toCents(total) < toCents(refunded_total);
  return isLess ? `The total must be at least ${refunded_total}, the amount refunded.` : undefined;
}

export function remainingTotal({ total, refunded_total }: Order): string {
  return fromCents(toCents(total) - toCents(refunded_total));
}

const maxSum = toCents('9999999999.99');

/** The price of all items. Adds a problem if it is too high; invalid items have no sum. */
export function sum(items: readonly Partial<NewOrderItem>[] | undefined, issues: Issues): string | undefined {
  if (!items || issues.has('total')) return undefined;
  let cents = 0n;
  for (const { quantity, price } of items) {
    if (quantity === undefined || price === undefined) return undefined;
    cents += BigInt(quantity) * toCents(price);
  }
  if (cents <= maxSum) return fromCents(cents);
  issues.add('total', 'The items must cost at most 9999999999.99 together.', 'too_large');
  return undefined;
}
