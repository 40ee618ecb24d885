import { type Ctx, fromCents, Issues, toCents } from '@chowk/kit';
import { maskOrder } from './masking.ts';
import { findOrder, lockOrder } from './orders.ts';
import { logHistory, saveOrder } from './save.ts';
import type { Order, OrderRefund } from './schemas.ts';
import { remainingOf } from './totals.ts';
import { statusProblem, transition } from './transitions.ts';

/** Refunds an amount, or all that remains. */
export function refundOrder(ctx: Ctx, { id, amount, reason }: OrderRefund): Promise<Order> {
  return ctx.tx(async (tx) => {
    const current = await lockOrder(tx, id);
    const issues = new Issues();
    checkRefund(current, amount, issues);
    issues.throwIfAny();
    const isAll = amount === undefined || amount === remainingOf(current);
    const order = isAll
      ? await transition(tx, current, { status: 'refunded', reason })
      : await refundPart(tx, current, amount, reason ?? null);
    return maskOrder(tx, order);
  });
}

async function refundPart(ctx: Ctx, current: Order, refunded: string, reason: string | null): Promise<Order> {
  const refunded_total = fromCents(toCents(current.refunded_total) + toCents(refunded));
  const order = await saveOrder(ctx, current, { refunded_total });
  await logHistory(ctx, order, { previous_status: order.status, refunded, reason });
  await ctx.emit('order.updated', { order, changed: ['refunded_total'] }, { about: order.id });
  return order;
}

export async function explainRefund(ctx: Ctx, { id, amount }: Partial<OrderRefund>, issues: Issues): Promise<void> {
  const order = id === undefined ? undefined : await findOrder(ctx, id);
  if (order) checkRefund(order, amount, issues);
}

function checkRefund(order: Order, amount: string | undefined, issues: Issues): void {
  const { status } = order;
  const problem = status === 'refunded' ? 'The order is already refunded.' : statusProblem(status, 'refunded');
  if (problem) return issues.add('status', problem);
  const remaining = remainingOf(order);
  if (amount === '0.00') issues.add('amount', 'The amount must be more than 0.', 'too_small');
  else if (amount !== undefined && toCents(amount) > toCents(remaining)) {
    issues.add('amount', `The amount must be at most ${remaining}, which is not refunded yet.`, 'too_large');
  }
}
