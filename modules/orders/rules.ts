import { type Ctx, forbidden, toCents } from '@chowk/kit';
import { toThousandths } from './amounts.ts';
import type { Order, Status } from './schemas.ts';

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

export const neverPaid = 'The order was never paid, so it cannot be refunded.';

export function statusProblem(order: Order, to: Status | undefined): string | undefined {
  const { status: from } = order;
  const allowed = transitions[from];
  if (to === undefined || to === from) return undefined;
  if (allowed.includes(to))
    return to === 'cancelled' ? cancelProblem(order) : to === 'refunded' && !wasPaid(order) ? neverPaid : undefined;
  const advice = allowed.length === 0 ? `A ${from} order is final.` : `Allowed: ${allowed.join(', ')}.`;
  return `The status cannot change from ${from} to ${to}. ${advice}`;
}

/** An order that has failed can be cancelled also if it was shipped before. */
function cancelProblem({ status, items }: Order): string | undefined {
  const isShipped = status !== 'failed' && items.some(({ shipped_quantity }) => shipped_quantity > 0);
  return isShipped ? 'Items of the order have been shipped, so it cannot be cancelled. Refund it instead.' : undefined;
}

/** An order without a price has nothing to pay. */
export function wasPaid({ total, paid_total }: Pick<Order, 'total' | 'paid_total'>): boolean {
  return toThousandths(paid_total) > 0n || toThousandths(total) === 0n;
}

export function nextStatuses(order: Order): Status[] {
  return transitions[order.status].filter((status) => statusProblem(order, status) === undefined);
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

export function totalProblem({ refunded_total, currency }: Order, total: string | undefined): string | undefined {
  const isBelow = total !== undefined && toCents(total, currency) < toCents(refunded_total, currency);
  return isBelow ? `The total must be at least ${refunded_total}, the amount refunded.` : undefined;
}

/** What was paid and not refunded, in thousandths. */
export function keptAmount({ paid_total, refunded_total }: Pick<Order, 'paid_total' | 'refunded_total'>): bigint {
  const kept = toThousandths(paid_total) - toThousandths(refunded_total);
  return kept > 0n ? kept : 0n;
}
