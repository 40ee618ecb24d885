import { type Ctx, sql } from '@chowk/kit';
import { fail } from './errors.ts';
import { logChanges, shipmentChanges } from './history.ts';
import { uncommitShipped } from './order-stock.ts';
import { lockOrder } from './orders.ts';
import { countAllAsShipped, findShipment } from './record-shipment.ts';
import { readKeptItems } from './refunded-units.ts';
import { saveOrder, touchOrder } from './save.ts';
import type { Order } from './schemas.ts';
import type { Shipment, ShipmentCancellation } from './shipment-schemas.ts';
import { addUnits, isShipped, readFulfillment } from './shipped-units.ts';

/** The units are not shipped any more: an open order reserves them again. Repeating it changes nothing. */
export async function cancelShipment(ctx: Ctx, input: ShipmentCancellation): Promise<Shipment> {
  const { id, shipment: key, reason } = input;
  const current = await lockOrder(ctx, id);
  const shipment = await findShipment(ctx, id, key);
  if (!shipment) throw fail('orders.shipment_not_found', { key });
  if (shipment.status === 'delivered') throw fail('orders.shipment_delivered');
  if (shipment.status === 'cancelled') return shipment;
  if (isShipped(current.status)) await countAllAsShipped(ctx, id);
  await writeCancellation(ctx, key);
  const removed = shipment.items.map(({ item_id, quantity }) => ({ item_id, quantity: -quantity }));
  const counted = { ...current, items: addUnits(current.items, removed) };
  await uncommitShipped(ctx, counted, shipment.location_id);
  ctx.audit({ status: ['shipped', 'cancelled'] });
  const order = await followCancellation(ctx, counted, reason);
  const cancelled = (await findShipment(ctx, id, key)) as Shipment;
  const isExplained = order.status !== current.status;
  await logChanges(ctx, order, shipmentChanges(cancelled, shipment.status), isExplained ? undefined : reason);
  await ctx.emit('order.shipment_cancelled', { order, shipment: cancelled });
  return cancelled;
}

async function writeCancellation(ctx: Ctx, id: string): Promise<void> {
  const now = ctx.now();
  await ctx.db.run(sql`
    WITH cancelled AS (
      UPDATE order_shipments SET status = 'cancelled', cancelled_at = ${now}, updated_at = ${now} WHERE id = ${id})
    UPDATE order_items i SET shipped_quantity = i.shipped_quantity - p.quantity
    FROM order_shipment_items p WHERE p.shipment_id = ${id} AND i.id = p.item_id`);
}

/** A shipped order is being processed again; others keep their status. */
async function followCancellation(ctx: Ctx, current: Order, reason: string | undefined): Promise<Order> {
  const fulfillment_status = readFulfillment(await readKeptItems(ctx, current));
  const status = isShipped(current.status) ? 'processing' : current.status;
  const order = await saveOrder(ctx, { current, fields: { status, fulfillment_status }, reason });
  return order === current ? touchOrder(ctx, current, 'shipments') : order;
}
