import type { Ctx, Issues } from '@chowk/kit';
import { fromThousandths, smaller, toThousandths } from './amounts.ts';
import type { NewOrderPayment, OrderPayment } from './payment-schemas.ts';
import type { Order, Status } from './schemas.ts';

/** What payments depend on. */
type Payable = Pick<Order, 'status' | 'currency' | 'due_total'>;

const unpayable: ReadonlySet<Status> = new Set(['cancelled', 'failed']);

/** The rows of payments that a user records. Adds problems to the issues, at `path` and the name of the field. */
export function planPayments(
  ctx: Ctx,
  { status, currency, due_total }: Payable,
  payments: readonly (Partial<NewOrderPayment> & { readonly path: string })[],
  issues: Issues,
): OrderPayment[] {
  if (payments.length > 0 && unpayable.has(status)) issues.add('status', `A ${status} order takes no payments.`);
  let due = toThousandths(due_total);
  return payments.map(({ path, amount = fromThousandths(due), ...payment }) => {
    const field = `${path}amount`;
    issues.checkDecimals(field, amount, currency);
    const problem = amountProblem(amount, due);
    if (problem && !issues.has(field)) issues.add(field, problem.message, problem.code);
    if (payment.status !== 'pending' && payment.status !== 'failed') due -= smaller(due, toThousandths(amount));
    return newPayment(ctx, { ...payment, amount });
  });
}

function amountProblem(amount: string, due: bigint) {
  if (due === 0n) return { message: 'Nothing is due: the order is paid.', code: 'too_large' as const };
  if (toThousandths(amount) === 0n) return { message: 'The amount must be more than 0.', code: 'too_small' as const };
  if (toThousandths(amount) <= due) return undefined;
  const message = `The amount must be at most ${fromThousandths(due)}, the amount that is due.`;
  return { message, code: 'too_large' as const };
}

export function newPayment(
  ctx: Ctx,
  payment: Partial<Omit<OrderPayment, 'paid_at'>> & { readonly amount: string; readonly paid_at?: string | undefined },
): OrderPayment {
  const now = ctx.now().toISOString();
  const { status = 'succeeded', paid_at } = payment;
  return {
    excess: '0.00',
    refunded_total: '0.00',
    reference: null,
    provider: null,
    provider_payment_id: null,
    user_id: ctx.userId ?? null,
    method: 'other',
    ...payment,
    status,
    paid_at: paid_at ?? (status === 'succeeded' ? now : null),
    id: ctx.newId(),
    created_at: now,
    updated_at: now,
  };
}

/** The payment of what is due, if the customer pays on delivery. */
export function planPaymentOnDelivery(
  ctx: Ctx,
  { payment_method, due_total }: Pick<Order, 'payment_method' | 'due_total'>,
): OrderPayment | undefined {
  const isOnDelivery = payment_method === 'cash_on_delivery' && toThousandths(due_total) > 0n;
  return isOnDelivery ? newPayment(ctx, { method: payment_method, amount: due_total }) : undefined;
}

/** A delivered order with cash on delivery, and an order that was refunded elsewhere, count as paid. */
export function planDefaultPayment(
  ctx: Ctx,
  { status, payment_method, total }: Pick<Order, 'status' | 'payment_method' | 'total'>,
  payments: readonly OrderPayment[],
): OrderPayment[] {
  const due = toThousandths(total) - toThousandths(sumPaid(payments));
  if (status === 'refunded' && payments.length === 0 && due > 0n) {
    return [newPayment(ctx, { method: payment_method ?? 'other', amount: total })];
  }
  const onDelivery = planPaymentOnDelivery(ctx, { payment_method, due_total: fromThousandths(due) });
  return status === 'delivered' && onDelivery ? [onDelivery] : [];
}

/** What succeeded payments add up to. */
export function sumPaid(payments: readonly OrderPayment[]): string {
  const succeeded = payments.filter(({ status }) => status === 'succeeded');
  return fromThousandths(succeeded.reduce((sum, { amount }) => sum + toThousandths(amount), 0n));
}
