import type { Ctx, Issues } from '@chowk/kit';
import { fromThousandths, smaller, toThousandths } from './amounts.ts';
import { applyRefund } from './apply-refund.ts';
import { divideRefund, type RefundPart, refundableExcess, refundablePart } from './divide-refund.ts';
import { followUnits } from './fulfillment.ts';
import { maskOrder } from './masking.ts';
import { lockOrder } from './orders.ts';
import { type PaymentBalance, readBalances } from './payment-rows.ts';
import type { OrderRefund, RefundedUnits } from './payment-schemas.ts';
import { checkUnits, priceUnits, unitsLeft } from './refund-items.ts';
import { readRefundedUnits } from './refunded-units.ts';
import { keptAmount, neverPaid, statusProblem, transitions, wasPaid } from './rules.ts';
import type { Order } from './schemas.ts';

interface RefundPlan {
  readonly current: Order;
  readonly parts: readonly RefundPart[];
  readonly items: readonly RefundedUnits[];
}

export async function checkRefund(
  ctx: Ctx,
  input: Partial<OrderRefund>,
  issues: Issues,
): Promise<RefundPlan | undefined> {
  if (input.id === undefined) return undefined;
  const current = await lockOrder(ctx, input.id);
  const payments = await readBalances(ctx, current.id);
  const payment = findPayment(payments, input.payment_id, issues);
  const refunded = await readRefundedUnits(ctx, current.id);
  if (input.items) checkUnits(current, input.items, refunded, issues);
  if (input.payment_id !== undefined && !payment) return undefined;
  const kept = keptAmount(current);
  const most = payment ? smaller(refundablePart(payment), kept) + excessLeft(payment, input) : kept;
  const problem = most > 0n ? undefined : emptyProblem(current);
  if (most === 0n && payment) issues.add('payment_id', 'This payment is already refunded.');
  else if (problem) issues.add('status', problem);
  else checkAmount(input.amount, { most, currency: current.currency }, issues);
  if (issues.any) return undefined;
  const units = input.items as readonly RefundedUnits[] | undefined;
  const price = units ? smaller(priceUnits(current, units, refunded), most) : most;
  const amount = input.amount === undefined ? price : toThousandths(input.amount);
  if (units && amount === 0n) issues.add('amount', 'The items cost nothing. Enter an amount.', 'required');
  const excess = payment ? smaller(excessLeft(payment, input), amount) : 0n;
  if (input.restock && !units && amount - excess < kept) {
    issues.add('items', 'Name the items that go back into the stock.', 'required');
  }
  return {
    current,
    parts: payment ? [{ payment, amount, excess }] : divideRefund(payments, amount),
    items: units ?? (input.restock ? unitsLeft(current, refunded) : []),
  };
}

export async function refundOrder(ctx: Ctx, input: OrderRefund, { current, parts, items }: RefundPlan): Promise<Order> {
  const { restock, location_id, reason } = input;
  const counted = parts.reduce((sum, { amount, excess }) => sum + amount - excess, 0n);
  const isRefunded = counted === keptAmount(current) && transitions[current.status].includes('refunded');
  const status = isRefunded ? 'refunded' : current.status;
  const order = await applyRefund(ctx, current, { parts, items, restock, location_id, reason, status });
  // Units that were given back are not left to ship.
  return maskOrder(ctx, restock ? await followUnits(ctx, order) : order);
}

function findPayment(payments: readonly PaymentBalance[], id: string | undefined, issues: Issues) {
  const payment = payments.find((one) => one.id === id);
  if (id !== undefined && !payment) {
    issues.add('payment_id', `The order has no payment ${id} that has succeeded.`, 'unknown');
  }
  return payment;
}

/** Items are not paid with what is more than the order costs. */
function excessLeft(payment: PaymentBalance, { items }: Partial<OrderRefund>): bigint {
  return items ? 0n : refundableExcess(payment);
}

/** Why an order with nothing left cannot be refunded; one without a price can. */
function emptyProblem(order: Order): string | undefined {
  if (!wasPaid(order)) return neverPaid;
  if (order.status === 'refunded' || toThousandths(order.paid_total) > 0n) return 'The order is already refunded.';
  return statusProblem(order, 'refunded');
}

interface Limit {
  readonly most: bigint;
  readonly currency: string;
}

function checkAmount(amount: string | undefined, { most, currency }: Limit, issues: Issues): void {
  if (amount === undefined) return;
  issues.checkDecimals('amount', amount, currency);
  if (toThousandths(amount) === 0n) issues.add('amount', 'The amount must be more than 0.', 'too_small');
  else if (toThousandths(amount) > most) {
    const message = `The amount must be at most ${fromThousandths(most)}, the amount that is not refunded yet.`;
    issues.add('amount', message, 'too_large');
  }
}
