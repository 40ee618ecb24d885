import type { Ctx } from '@chowk/kit';
import { followCodes } from './discount-codes.ts';
import { followStock } from './order-stock.ts';
import { followStatus } from './record-shipment.ts';
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

/** The status `refunded` refunds the remaining total. */
async function changeStatus(ctx: Ctx, current: Order, status: Status, reason?: string): Promise<Order> {
  await followStock(ctx, { ...current, status });
  await followCodes(ctx, current, status);
  const refunded = status === 'refunded' ? { refunded_total: current.total } : {};
  return saveOrder(ctx, current, { status, ...refunded }, reason);
}
