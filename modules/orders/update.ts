import { type Ctx, fromCents, type Issues, invalid, readValid, toCents } from '@chowk/kit';
import { addressToStore } from './masking.ts';
import { changeOrder, findOrder } from './orders.ts';
import {
  currencyProblem,
  explainSum,
  mustBeAllowed,
  remainingOf,
  statusProblem,
  sumOf,
  totalProblem,
} from './rules.ts';
import { saveOrder } from './save.ts';
import type { Order, OrderChanges, OrderRefund, Status, StatusChange } from './schemas.ts';

export async function updateOrder(ctx: Ctx, { id, status, ...changes }: OrderChanges): Promise<Order> {
  const fields = { ...changes };
  if (fields.items) fields.total ??= sumOf(fields.items);
  return changeOrder(ctx, id, async (tx, current) => {
    const { shipping_address: address } = changes;
    if (address !== undefined) fields.shipping_address = addressToStore(tx, address, current.shipping_address);
    const updated = await saveOrder(tx, current, fields);
    return status === undefined ? updated : transition(tx, updated, status);
  });
}

export function updateStatus(ctx: Ctx, { id, status, reason }: StatusChange): Promise<Order> {
  return changeOrder(ctx, id, (tx, current) => transition(tx, current, status, reason));
}

export async function explainChanges(ctx: Ctx, input: Partial<OrderChanges>, issues: Issues): Promise<void> {
  explainSum(input, issues);
  const order = await findOrder(ctx, input.id);
  if (!order) return;
  const problems = {
    currency: currencyProblem(order, input.currency),
    total: totalProblem(order, input.total),
    status: statusProblem(order, input.status),
  };
  for (const [field, problem] of Object.entries(problems)) if (problem) issues.add(field, problem);
}

/** The status `refunded` refunds the remaining total. */
async function transition(ctx: Ctx, current: Order, status: Status, reason?: string): Promise<Order> {
  if (status === current.status) return current;
  mustBeAllowed(ctx, status);
  const problem = statusProblem(current, status);
  if (problem) throw invalid({ status: problem });
  const refunded = status === 'refunded' ? { refunded_total: current.total } : {};
  return saveOrder(ctx, current, { status, ...refunded }, reason);
}

export function refundOrder(ctx: Ctx, { id, amount, reason }: OrderRefund): Promise<Order> {
  return changeOrder(ctx, id, async (tx, current) => {
    await readValid((issues) => checkRefund(current, amount, issues));
    const isFull = amount === undefined || amount === remainingOf(current);
    if (isFull) return transition(tx, current, 'refunded', reason);
    const refunded_total = fromCents(toCents(current.refunded_total) + toCents(amount));
    return saveOrder(tx, current, { refunded_total }, reason);
  });
}

export async function explainRefund(ctx: Ctx, { id, amount }: Partial<OrderRefund>, issues: Issues): Promise<void> {
  const order = await findOrder(ctx, id);
  if (order) checkRefund(order, amount, issues);
}

function checkRefund(order: Order, amount: string | undefined, issues: Issues): void {
  const isRefunded = order.status === 'refunded';
  const problem = isRefunded ? 'The order is already refunded.' : statusProblem(order, 'refunded');
  const remaining = remainingOf(order);
  if (problem) issues.add('status', problem);
  else if (amount === '0.00') issues.add('amount', 'The amount must be more than 0.', 'too_small');
  else if (amount !== undefined && toCents(amount) > toCents(remaining)) {
    issues.add('amount', `The amount must be at most ${remaining}, the amount that is not refunded yet.`, 'too_large');
  }
}
