import type { Ctx, Issues } from '@chowk/kit';
import { fromThousandths, toThousandths } from './amounts.ts';
import { fail } from './errors.ts';
import { paymentChanges } from './history.ts';
import { lockOrder } from './orders.ts';
import { findPayment, insertPayment, settlePayments, updatePaymentRow } from './payment-rows.ts';
import type { OrderPayment, OrderPaymentChange, OrderPaymentInput } from './payment-schemas.ts';
import { planPayments } from './plan-payments.ts';
import { savePaidTotal } from './save.ts';
import type { Order } from './schemas.ts';

interface PlannedPayment {
  readonly current: Order;
  readonly payment: OrderPayment;
}

export async function checkPayment(
  ctx: Ctx,
  { id, ...input }: Partial<OrderPaymentInput>,
  issues: Issues,
): Promise<PlannedPayment | undefined> {
  if (id === undefined) return undefined;
  const current = await lockOrder(ctx, id);
  const [payment] = planPayments(ctx, current, [{ ...input, path: '' }], issues);
  return payment && { current, payment };
}

export async function addPayment(
  ctx: Ctx,
  _: OrderPaymentInput,
  { current, payment }: PlannedPayment,
): Promise<OrderPayment> {
  await insertPayment(ctx, current.id, payment);
  const paid = payment.status === 'succeeded' ? toThousandths(payment.amount) : 0n;
  const paidTotal = fromThousandths(toThousandths(current.paid_total) + paid);
  const order = await savePaidTotal(ctx, current, paidTotal, paymentChanges([], [payment]));
  await ctx.emit('order.payment_added', { order, payment });
  return payment;
}

export async function checkPaymentChange(
  ctx: Ctx,
  { id, payment: paymentId, status }: Partial<OrderPaymentChange>,
  issues: Issues,
): Promise<PlannedPayment | undefined> {
  if (id === undefined || paymentId === undefined) return undefined;
  const current = await lockOrder(ctx, id);
  const payment = await findPayment(ctx, id, paymentId);
  if (!payment) throw fail('orders.payment_not_found', { key: paymentId });
  const problem = status && statusProblem(current, payment, status);
  if (problem) issues.add('status', problem);
  return { current, payment };
}

function statusProblem(
  { paid_total, refunded_total, due_total }: Order,
  { provider, status: from, amount, excess, refunded_total: refunded }: OrderPayment,
  to: OrderPaymentChange['status'],
): string | undefined {
  if (from === to) return undefined;
  if (provider !== null) return `The status of this payment is set by ${provider}.`;
  if (from === 'failed') return 'A failed payment is final. Record a new one.';
  if (to === 'succeeded') {
    const isTooMuch = toThousandths(amount) > toThousandths(due_total);
    return isTooMuch ? `Only ${due_total} is due. Record the payment as failed.` : undefined;
  }
  if (from === 'pending') return undefined;
  const left = toThousandths(paid_total) - toThousandths(amount) + toThousandths(excess);
  const isRefunded = toThousandths(refunded) > 0n || left < toThousandths(refunded_total);
  return isRefunded ? 'A payment that was refunded cannot fail.' : undefined;
}

export async function updatePayment(
  ctx: Ctx,
  { status, reference, paid_at }: OrderPaymentChange,
  { current, payment: before }: PlannedPayment,
): Promise<OrderPayment> {
  const now = ctx.now().toISOString();
  const payment = {
    ...before,
    status,
    excess: status === 'failed' ? '0.00' : before.excess,
    reference: reference === undefined ? before.reference : reference,
    paid_at: paid_at ?? before.paid_at ?? (status === 'succeeded' ? now : null),
  };
  await updatePaymentRow(ctx, payment);
  const paid = await settlePayments(ctx, { ...current, paid_total: paidTotalAfter(current, before, payment) });
  return savePaymentChange(ctx, current, paid, { before, after: payment });
}

interface PaymentChange {
  readonly before: OrderPayment;
  readonly after: OrderPayment;
}

/** Writes what follows for the order from a payment that was changed, and reports another status of it. */
export async function savePaymentChange(
  ctx: Ctx,
  current: Order,
  paidTotal: string,
  { before, after }: PaymentChange,
): Promise<OrderPayment> {
  const isOther = after.status !== before.status;
  const order = await savePaidTotal(ctx, current, paidTotal, isOther ? paymentChanges([before], [after]) : undefined);
  const payment = (await findPayment(ctx, current.id, after.id)) as OrderPayment;
  if (isOther) await ctx.emit('order.payment_updated', { order, payment, previous_status: before.status });
  return payment;
}

/** What the order has been paid with the changed payment. */
function paidTotalAfter({ paid_total }: Order, before: OrderPayment, after: OrderPayment): string {
  return fromThousandths(toThousandths(paid_total) - countedAmount(before) + countedAmount(after));
}

function countedAmount({ status, amount, excess }: OrderPayment): bigint {
  return status === 'succeeded' ? toThousandths(amount) - toThousandths(excess) : 0n;
}
