import { type Ctx, forbidden, fromCents, toCents } from '@chowk/kit';
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

type Shipped = Pick<Order, 'status' | 'items'>;

export function statusProblem(order: Shipped, to: Status | undefined): string | undefined {
  const { status: from } = order;
  const allowed = transitions[from];
  if (to === undefined || to === from) return undefined;
  if (allowed.includes(to)) return to === 'cancelled' ? cancelProblem(order) : undefined;
  const advice = allowed.length === 0 ? `A ${from} order is final.` : `Allowed: ${allowed.join(', ')}.`;
  return `The status cannot change from ${from} to ${to}. ${advice}`;
}

/** An order that has failed can be cancelled also if it was shipped before. */
function cancelProblem({ status, items }: Shipped): string | undefined {
  const isShipped = status !== 'failed' && items.some(({ shipped_quantity }) => shipped_quantity > 0);
  return isShipped ? 'Items of the order have been shipped, so it cannot be cancelled. Refund it instead.' : undefined;
}

export function nextStatuses(order: Shipped): Status[] {
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

export function totalProblem(order: Order, total: string | undefined): string | undefined {
  if (total === undefined) return undefined;
  const { refunded_total, currency } = order;
  const kept = keptTotal(order);
  const isBelow = (amount: string) => toCents(total, currency) < toCents(amount, currency);
  if (isBelow(refunded_total)) return `The total must be at least ${refunded_total}, the amount refunded.`;
  return isBelow(kept)
    ? `The total must be at least ${kept}, the amount paid. Refund the difference first.`
    : undefined;
}

/** What was paid and not refunded. */
function keptTotal({ paid_total, refunded_total, currency }: Order): string {
  const kept = toCents(paid_total, currency) - toCents(refunded_total, currency);
  return fromCents(kept > 0n ? kept : 0n, currency);
}

export function remainingTotal({ total, refunded_total, currency }: Order): string {
  return fromCents(toCents(total, currency) - toCents(refunded_total, currency), currency);
}
