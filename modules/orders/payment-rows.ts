import { type Ctx, sql } from '@chowk/kit';
import { fromThousandths, toThousandths } from './amounts.ts';
import { paymentColumns } from './columns.ts';
import { distributeExcess } from './excess.ts';
import type { OrderPayment } from './payment-schemas.ts';
import type { Order } from './schemas.ts';

export const paymentNames = sql`id, method, amount, excess, reference, status, provider, provider_payment_id, paid_at, user_id,
  created_at, updated_at`;

export async function insertPayment(ctx: Ctx, orderId: string, payment: OrderPayment): Promise<void> {
  await ctx.db.run(sql`
    INSERT INTO order_payments (order_id, ${paymentNames})
    SELECT ${orderId}::uuid, ${paymentNames} FROM jsonb_populate_record(NULL::order_payments, ${JSON.stringify(payment)}::jsonb)`);
}

export function findPayment(ctx: Ctx, orderId: string, id: string): Promise<OrderPayment | undefined> {
  return ctx.db.row<OrderPayment>(sql`
    SELECT ${paymentColumns} FROM order_payments p WHERE p.id = ${id} AND p.order_id = ${orderId}`);
}

export async function updatePaymentRow(ctx: Ctx, payment: OrderPayment): Promise<void> {
  const { id, amount, excess, reference, status, paid_at } = payment;
  await ctx.db.run(sql`
    UPDATE order_payments SET amount = ${amount}::numeric, excess = ${excess}::numeric, reference = ${reference},
      status = ${status}, paid_at = ${paid_at}::timestamptz, updated_at = ${ctx.now()} WHERE id = ${id}`);
}

/** A succeeded payment of a locked order, with what is left of it, in thousandths. */
export interface PaymentBalance {
  readonly id: string;
  readonly provider: string | null;
  readonly provider_payment_id: string | null;
  readonly amount: bigint;
  readonly excess: bigint;
  readonly refundedExcess: bigint;
  readonly refunded: bigint;
}

/** The oldest first. */
export async function readBalances(ctx: Ctx, orderId: string): Promise<PaymentBalance[]> {
  type Amounts = Record<'amount' | 'excess' | 'refunded' | 'refunded_excess', string>;
  const rows = await ctx.db.rows<Amounts & Pick<PaymentBalance, 'id' | 'provider' | 'provider_payment_id'>>(sql`
    SELECT p.id, p.provider, p.provider_payment_id, p.amount::text AS amount, p.excess::text AS excess,
      coalesce(sum(r.amount - r.excess), 0)::text AS refunded, coalesce(sum(r.excess), 0)::text AS refunded_excess
    FROM order_payments p LEFT JOIN order_refunds r ON r.payment_id = p.id AND r.status <> 'failed'
    WHERE p.order_id = ${orderId} AND p.status = 'succeeded'
    GROUP BY p.id ORDER BY p.created_at, p.id`);
  return rows.map(({ amount, excess, refunded, refunded_excess, ...key }) => ({
    ...key,
    amount: toThousandths(amount),
    excess: toThousandths(excess),
    refunded: toThousandths(refunded),
    refundedExcess: toThousandths(refunded_excess),
  }));
}

/** Divides the payments into what the order costs and the excess; returns the paid total. */
export async function settlePayments(
  ctx: Ctx,
  { id, total, paid_total }: Pick<Order, 'id' | 'total' | 'paid_total'>,
): Promise<string> {
  const sums = { total: toThousandths(total), paid: toThousandths(paid_total) };
  const { changed, paid } = distributeExcess(await readBalances(ctx, id), sums);
  const rows = changed.map((payment) => ({ id: payment.id, excess: fromThousandths(payment.excess) }));
  if (rows.length > 0) {
    await ctx.db.run(sql`
      UPDATE order_payments p SET excess = n.excess, updated_at = ${ctx.now()}
      FROM jsonb_populate_recordset(NULL::order_payments, ${JSON.stringify(rows)}::jsonb) n WHERE p.id = n.id`);
  }
  return fromThousandths(paid);
}
