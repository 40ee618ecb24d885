import { type Ctx, sql } from '@chowk/kit';
import { readKeptItems } from './refunded-units.ts';
import { nextStatuses } from './rules.ts';
import { saveOrder } from './save.ts';
import type { Order } from './schemas.ts';
import { readFulfillment } from './shipped-units.ts';
import { transition } from './transition.ts';

/**
 * Makes the status of a locked order follow the units that have left: the first ones make it `processing`, the last ones `shipped`, or
 * `delivered` if all shipments are. Orders that cannot be shipped any more stay as they are.
 */
export async function followUnits(ctx: Ctx, current: Order): Promise<Order> {
  if (!nextStatuses(current).includes('shipped')) return current;
  const fulfillment_status = readFulfillment(await readKeptItems(ctx, current));
  if (fulfillment_status === 'fulfilled') {
    return transition(ctx, current, (await isUnderWay(ctx, current.id)) ? 'shipped' : 'delivered');
  }
  const isNew = current.status === 'pending' || current.status === 'confirmed';
  const isStarted = isNew && fulfillment_status === 'partly_fulfilled';
  return saveOrder(ctx, { current, fields: { fulfillment_status, ...(isStarted ? { status: 'processing' } : {}) } });
}

export async function isUnderWay(ctx: Ctx, orderId: string): Promise<boolean> {
  const row = await ctx.db.row(
    sql`SELECT FROM order_shipments WHERE order_id = ${orderId} AND status = 'shipped' LIMIT 1`,
  );
  return row !== undefined;
}
