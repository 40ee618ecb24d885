import { type Ctx, forbidden, fromCents, type Issues, invalid, toCents } from '@chowk/kit';
import type { NewOrderItem, Order, OrderChanges, Status } from './schemas.ts';

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

export function remainingOf({ total, refunded_total }: Order): string {
  return fromCents(toCents(total) - toCents(refunded_total));
}

const maxSum = toCents('9999999999.99');
const sumProblem = { code: 'too_large', message: 'The items must cost at most 9999999999.99 together.' } as const;

function centsOf(items: readonly NewOrderItem[]): bigint {
  return items.reduce((sum, { quantity, price }) => sum + BigInt(quantity) * toCents(price), 0n);
}

export function sumOf(items: readonly NewOrderItem[]): string {
  if (centsOf(items) > maxSum) throw invalid({ total: sumProblem });
  return fromCents(centsOf(items));
}

/** Reports what `sumOf` would reject. Invalid items have no sum. */
export function explainSum({ items = [], total }: Pick<OrderChanges, 'items' | 'total'>, issues: Issues): void {
  const hasSum = items.every(({ quantity, price }) => quantity !== undefined && price !== undefined);
  if (total !== undefined || issues.has('total') || !hasSum || centsOf(items) <= maxSum) return;
  issues.add('total', sumProblem.message, sumProblem.code);
}
