import type { Ctx } from '@chowk/kit';
import { applyRefund } from './apply-refund.ts';
import { followCodes } from './discount-codes.ts';
import { divideRefund } from './divide-refund.ts';
import { paymentChanges } from './history.ts';
import { followStock } from './order-stock.ts';
import { insertPayment, readBalances } from './payment-rows.ts';
import { planPaymentOnDelivery } from './plan-payments.ts';
import { followStatus } from './record-shipment.ts';
import { keptAmount } from './rules.ts';
import { saveOrder } from './save.ts';
import type { Order, Status } from './schemas.ts';

/** Changes the status with what follows from it: `shipped` and `delivered` ship what is left. */
export async function transition(ctx: Ctx, current: Order, status: Status, reason?: string): Promise<Order> {
  if (status === current.status) return current;
  const { order: before, shipment } = await followStatus(ctx, current, status);
  const order = await changeStatus(ctx, before, status, reason);
  if (shipment) await ctx.emit('order.shipped', { order, shipment, notify: status === 'shipped' });
  return order;
}

/** The status `refunded` refunds what was paid and not refunded. */
async function changeStatus(ctx: Ctx, current: Order, status: Status, reason?: string): Promise<Order> {
  if (status === 'refunded') {
    const parts = divideRefund(await readBalances(ctx, current.id), keptAmount(current));
    return applyRefund(ctx, current, { parts, reason, status });
  }
  await followStock(ctx, { ...current, status });
  await followCodes(ctx, current, status);
  return status === 'delivered'
    ? deliver(ctx, current, reason)
    : saveOrder(ctx, { current, fields: { status }, reason });
}

async function deliver(ctx: Ctx, current: Order, reason?: string): Promise<Order> {
  const status = 'delivered';
  const payment = planPaymentOnDelivery(ctx, current);
  if (!payment) return saveOrder(ctx, { current, fields: { status }, reason });
  await insertPayment(ctx, current.id, payment);
  const { total: paid_total } = current;
  const log = paymentChanges([], [payment]);
  const order = await saveOrder(ctx, {
    current,
    fields: { status, paid_total },
    reason: reason ?? 'Paid in cash on delivery',
    payments: log,
  });
  await ctx.emit('order.payment_added', { order, payment });
  return order;
}
