import { type Ctx, Line, type Static, sql, Type, Uuid } from '@chowk/kit';
import { fromThousandths, toThousandths } from './amounts.ts';
import { refundColumns } from './columns.ts';
import { fail } from './errors.ts';
import { lockOrder } from './orders.ts';
import { settlePayments } from './payment-rows.ts';
import type { OrderPayment, RecordedRefund } from './payment-schemas.ts';
import { saveOrder, touchOrder } from './save.ts';
import type { Order } from './schemas.ts';

export const SettledRefund = Type.Object({
  refund_id: Uuid,
  status: Type.Enum(['succeeded', 'failed']),
  provider_refund_id: Type.Optional(Line(255)),
});
type SettledRefund = Static<typeof SettledRefund>;

/** Records how the provider answered. The amount of a refund that failed can be refunded again. */
export async function settleRefund(ctx: Ctx, report: SettledRefund): Promise<void> {
  await ctx.tx(async (tx) => {
    const found = await findRefund(tx, report.refund_id);
    if (!found) throw fail('orders.refund_not_found', { key: report.refund_id });
    const current = await lockOrder(tx, found.order_id);
    const refund = (await findRefund(tx, report.refund_id)) as RecordedRefund;
    if (refund.status === report.status || refund.status === 'failed') return;
    await updateRefund(tx, report);
    const isFailed = report.status === 'failed';
    const order = isFailed ? await takeBack(tx, current, refund) : await touchOrder(tx, current, 'refunds');
    await emitSettled(tx, order, report.refund_id);
  });
}

type FoundRefund = RecordedRefund & Pick<OrderPayment, 'provider' | 'provider_payment_id'> & { order_id: string };

function findRefund(ctx: Ctx, id: string) {
  return ctx.db.row<FoundRefund>(sql`
    SELECT ${refundColumns}, r.order_id, p.provider, p.provider_payment_id
    FROM order_refunds r LEFT JOIN order_payments p ON p.id = r.payment_id WHERE r.id = ${id}`);
}

async function emitSettled(ctx: Ctx, order: Order, id: string): Promise<void> {
  const { order_id: _, ...refund } = (await findRefund(ctx, id)) as FoundRefund;
  await ctx.emit('order.refund_settled', { order, refund });
}

async function updateRefund(ctx: Ctx, { refund_id, status, provider_refund_id }: SettledRefund): Promise<void> {
  await ctx.db.run(sql`
    UPDATE order_refunds SET status = ${status},
      provider_refund_id = coalesce(${provider_refund_id ?? null}::text, provider_refund_id) WHERE id = ${refund_id}`);
}

/** The excess that was not refunded after all may be due by now. */
async function takeBack(ctx: Ctx, current: Order, { amount, excess }: RecordedRefund): Promise<Order> {
  const counted = toThousandths(amount) - toThousandths(excess);
  const refunded_total = fromThousandths(toThousandths(current.refunded_total) - counted);
  const paid_total = await settlePayments(ctx, current);
  const isChanged = refunded_total !== current.refunded_total || paid_total !== current.paid_total;
  return isChanged
    ? saveOrder(ctx, { current, fields: { refunded_total, paid_total }, reason: 'The refund failed' })
    : touchOrder(ctx, current, 'refunds');
}
