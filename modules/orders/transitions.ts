import { type Ctx, forbidden, invalid } from '@chowk/kit';
import { maskOrder } from './masking.ts';
import { lockOrder } from './orders.ts';
import { logHistory, saveOrder } from './save.ts';
import type { Order, Status, StatusChange } from './schemas.ts';
import { remainingOf } from './totals.ts';

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

/** Statuses that need more than orders.edit. */
const permissions: Partial<Record<Status, string>> = { cancelled: 'orders.cancel', refunded: 'orders.refund' };

export function updateStatus(ctx: Ctx, { id, ...change }: StatusChange): Promise<Order> {
  return ctx.tx(async (tx) => maskOrder(tx, await transition(tx, await lockOrder(tx, id), change)));
}

export function statusProblem(from: Status, to: Status): string | undefined {
  const possible = transitions[from];
  if (from === to || possible.includes(to)) return undefined;
  const advice = possible.length === 0 ? `A ${from} order is final.` : `Allowed: ${possible.join(', ')}.`;
  return `The status cannot change from ${from} to ${to}. ${advice}`;
}

interface Step {
  readonly status: Status;
  readonly reason?: string | undefined;
}

/** Changes the status of a locked order. Refunding it refunds all that remains. */
export async function transition(
  ctx: Ctx,
  current: Order,
  { status, reason = null as string | null }: Step,
): Promise<Order> {
  const { status: previous_status, refunded_total, total } = current;
  if (status === previous_status) return current;
  mustBePossible(ctx, previous_status, status);
  const isRefund = status === 'refunded';
  const order = await saveOrder(ctx, current, { status, refunded_total: isRefund ? total : refunded_total });
  await logHistory(ctx, order, { previous_status, refunded: isRefund ? remainingOf(current) : null, reason });
  await ctx.emit('order.status_changed', { order, previous_status, reason }, { about: order.id });
  return order;
}

function mustBePossible(ctx: Ctx, from: Status, to: Status): void {
  const permission = permissions[to];
  if (permission !== undefined && !ctx.can(permission)) throw forbidden(permission);
  const problem = statusProblem(from, to);
  if (problem) throw invalid({ status: problem });
}
