import { type Ctx, sql } from '@chowk/kit';
import { fromThousandths, toThousandths } from './amounts.ts';
import { followCodes } from './discount-codes.ts';
import type { RefundPart } from './divide-refund.ts';
import { followStock, returnStock } from './order-stock.ts';
import type { RecordedRefund, RefundedUnits } from './payment-schemas.ts';
import { saveOrder, touchOrder } from './save.ts';
import type { Order, Status } from './schemas.ts';

export interface Refund {
  readonly parts: readonly RefundPart[];
  readonly items?: readonly RefundedUnits[];
  readonly restock?: boolean;
  readonly location_id?: string | null | undefined;
  readonly reason?: string | undefined;
  /** The status of the order afterwards. */
  readonly status: Status;
}

/** Writes the refund of a locked order, a row for each payment, and what follows from it. */
export async function applyRefund(ctx: Ctx, current: Order, refund: Refund): Promise<Order> {
  const { parts, status, reason, restock, location_id } = refund;
  const rows = parts.map((part, index) => newRefund(ctx, part, index === 0 ? refund : { ...refund, items: [] }));
  await insertRefunds(ctx, current.id, rows);
  const counted = parts.reduce((sum, { amount, excess }) => sum + amount - excess, 0n);
  const refunded_total = fromThousandths(toThousandths(current.refunded_total) + counted);
  if (restock) await returnStock(ctx, current, location_id);
  if (status !== current.status) {
    await followStock(ctx, { ...current, refunded_total, status });
    await followCodes(ctx, current, status);
  }
  const isChanged = counted > 0n || status !== current.status;
  const order = isChanged
    ? await saveOrder(ctx, { current, fields: { status, refunded_total }, reason })
    : await touchOrder(ctx, current, 'refunds');
  for (const [index, row] of rows.entries()) {
    const { provider = null, provider_payment_id = null } = parts[index]?.payment ?? {};
    const emitted = { order, refund: { ...row, provider, provider_payment_id } };
    await ctx.emit('order.refunded', emitted);
    if (row.status !== 'pending') await ctx.emit('order.refund_settled', emitted);
  }
  return order;
}

/** The provider of the payment has to report how the refund went; others have taken place. */
function newRefund(ctx: Ctx, { payment, amount, excess }: RefundPart, refund: Refund): RecordedRefund {
  const { items = [], restock = false, reason = null } = refund;
  return {
    id: ctx.newId(),
    payment_id: payment?.id ?? null,
    amount: fromThousandths(amount),
    excess: fromThousandths(excess),
    reason,
    items: [...items],
    restocked: restock && items.length > 0,
    status: payment?.provider == null ? 'succeeded' : 'pending',
    provider_refund_id: null,
    user_id: ctx.userId ?? null,
    created_at: ctx.now().toISOString(),
  };
}

async function insertRefunds(ctx: Ctx, orderId: string, refunds: readonly RecordedRefund[]): Promise<void> {
  const rows = refunds.map((refund) => ({ ...refund, order_id: orderId }));
  await ctx.db.run(sql`
    INSERT INTO order_refunds (order_id, ${names})
    SELECT order_id, ${names} FROM jsonb_populate_recordset(NULL::order_refunds, ${JSON.stringify(rows)}::jsonb)`);
}

const names = sql`id, payment_id, amount, excess, reason, items, restocked, status, provider_refund_id, user_id, created_at`;
