import { type Ctx, invalid, Line, MoneyInput, type Static, sql, Type, taken, Uuid, violatedIndex } from '@chowk/kit';
import { toThousandths } from './amounts.ts';
import { paymentColumns } from './columns.ts';
import { paymentChanges } from './history.ts';
import { lockOrder } from './orders.ts';
import { insertPayment, settlePayments, updatePaymentRow } from './payment-rows.ts';
import { NewOrderPayment, type OrderPayment, PaymentState } from './payment-schemas.ts';
import { savePaymentChange } from './payments.ts';
import { newPayment } from './plan-payments.ts';
import { savePaidTotal } from './save.ts';
import type { Order } from './schemas.ts';

const { method, paid_at } = NewOrderPayment.properties;

/** A payment as its provider reports it. */
export const ReportedPayment = Type.Object({
  order_id: Uuid,
  method,
  amount: MoneyInput,
  reference: Type.Optional(Line(255)),
  provider: Line(64, { examples: ['stripe'] }),
  provider_payment_id: Line(255),
  status: PaymentState,
  paid_at,
});
type ReportedPayment = Static<typeof ReportedPayment>;

/** Records what a provider reports, also of a closed order and beyond what is due. The same report again changes nothing. */
export function recordPayment(ctx: Ctx, report: ReportedPayment): Promise<{ payment_id: string; is_new: boolean }> {
  return ctx.tx(async (tx) => {
    if (toThousandths(report.amount) === 0n) throw invalid({ amount: 'The amount must be more than 0.' });
    const order = await lockOrder(tx, report.order_id);
    const known = await findReported(tx, report);
    if (known && known.order_id !== order.id) throw otherOrder();
    if (!known) return { payment_id: await addReported(tx, order, report), is_new: true };
    if (isLater(known.status, report.status)) await changeReported(tx, order, known, report);
    return { payment_id: known.id, is_new: false };
  });
}

const otherOrder = () => invalid({ provider_payment_id: taken('This payment is recorded for another order.') });

/** Reports arrive in any order: what has succeeded stays so. */
function isLater(known: PaymentState, reported: PaymentState): boolean {
  return known === 'pending' ? reported !== 'pending' : known === 'failed' && reported === 'succeeded';
}

function findReported(ctx: Ctx, { provider, provider_payment_id }: ReportedPayment) {
  return ctx.db.row<OrderPayment & { order_id: string }>(sql`
    SELECT ${paymentColumns}, p.order_id FROM order_payments p
    WHERE p.provider = ${provider} AND p.provider_payment_id = ${provider_payment_id}`);
}

async function addReported(ctx: Ctx, current: Order, { order_id: _, ...report }: ReportedPayment): Promise<string> {
  const payment = { ...newPayment(ctx, report), ...allExcess(report) };
  try {
    await insertPayment(ctx, current.id, payment);
  } catch (error) {
    if (violatedIndex(error) !== 'order_payments_unique') throw error;
    throw otherOrder();
  }
  const order = await savePaidTotal(ctx, current, await settlePayments(ctx, current), paymentChanges([], [payment]));
  const stored = (await findReported(ctx, { ...report, order_id: current.id })) as OrderPayment;
  await ctx.emit('order.payment_added', { order, payment: stored });
  return payment.id;
}

async function changeReported(ctx: Ctx, current: Order, known: OrderPayment, report: ReportedPayment): Promise<void> {
  const { status, amount, reference = known.reference } = report;
  const paid_at = report.paid_at ?? (status === 'succeeded' ? ctx.now().toISOString() : known.paid_at);
  const payment = { ...known, status, amount, reference, paid_at, ...allExcess(report) };
  await updatePaymentRow(ctx, payment);
  await savePaymentChange(ctx, current, await settlePayments(ctx, current), { before: known, after: payment });
}

/** Succeeded payments are excess until what is due is taken from them. */
function allExcess({ status, amount }: Pick<ReportedPayment, 'status' | 'amount'>) {
  return { excess: status === 'succeeded' ? amount : '0.00' };
}
