import { type Ctx, sql } from '@chowk/kit';
import { shipmentColumns } from './columns.ts';
import { readKeptItems } from './refunded-units.ts';
import type { Order, Status } from './schemas.ts';
import type { Shipment } from './shipment-schemas.ts';
import { addUnits, isShipped, listLeft, type Units } from './shipped-units.ts';

type Details = Partial<
  Pick<Shipment, 'status' | 'carrier' | 'tracking_number' | 'tracking_url' | 'location_id' | 'shipped_at'>
>;

/** Stores a shipment of a locked order and counts its units. */
export async function recordShipment(ctx: Ctx, orderId: string, units: readonly Units[], details: Details = {}) {
  const [id, now] = [ctx.newId(), ctx.now()];
  const { status = 'shipped', carrier = null, tracking_number = null, tracking_url = null } = details;
  const { location_id = null, shipped_at = now } = details;
  const deliveredAt = status === 'delivered' ? shipped_at : null;
  const unit = sql`unnest(${units.map(({ item_id }) => item_id)}::uuid[], ${units.map(({ quantity }) => quantity)}::integer[])
    AS unit (item_id, quantity)`;
  await ctx.db.run(sql`
    WITH s AS (
      INSERT INTO order_shipments (id, order_id, carrier, tracking_number, tracking_url, location_id, status, shipped_at,
        delivered_at, user_id, created_at, updated_at)
      VALUES (${id}, ${orderId}, ${carrier}, ${tracking_number}, ${tracking_url}, ${location_id}, ${status}, ${shipped_at},
        ${deliveredAt}, ${ctx.userId ?? null}, ${now}, ${now})),
    counted AS (
      UPDATE order_items i SET shipped_quantity = i.shipped_quantity + unit.quantity FROM ${unit} WHERE i.id = unit.item_id)
    INSERT INTO order_shipment_items (shipment_id, item_id, quantity) SELECT ${id}, item_id, quantity FROM ${unit}`);
  return findShipment(ctx, orderId, id) as Promise<Shipment>;
}

export function findShipment(ctx: Ctx, orderId: string, id: string): Promise<Shipment | undefined> {
  return ctx.db.row<Shipment>(
    sql`SELECT ${shipmentColumns} FROM order_shipments s WHERE id = ${id} AND order_id = ${orderId}`,
  );
}

/** An order that is imported as shipped was shipped when it was placed. */
export async function recordNewOrder(ctx: Ctx, { id, status, items, placed_at }: Order): Promise<void> {
  if (!isShipped(status)) return;
  const units = items.map(({ id: item_id, quantity }) => ({ item_id, quantity }));
  await recordShipment(ctx, id, units, { status: status as Shipment['status'], shipped_at: placed_at });
}

/** Makes the shipments follow the status of a locked order; `shipment` is that of what was left, if anything was. */
export async function followStatus(
  ctx: Ctx,
  current: Order,
  status: Status,
): Promise<{ order: Order; shipment?: Shipment }> {
  const { id } = current;
  if (isShipped(current.status) && !isShipped(status)) await countAllAsShipped(ctx, id);
  if (!isShipped(status)) return { order: current };
  if (status === 'delivered') await deliverShipments(ctx, id);
  const left = listLeft(await readKeptItems(ctx, current));
  const order = { ...current, items: addUnits(current.items, left), fulfillment_status: 'fulfilled' as const };
  if (left.length === 0) return { order };
  return { order, shipment: await recordShipment(ctx, id, left, { status: status as Shipment['status'] }) };
}

/** For orders that an older server has shipped: only their status says so. */
export async function countAllAsShipped(ctx: Ctx, orderId: string): Promise<void> {
  await ctx.db.run(sql`
    UPDATE order_items i SET shipped_quantity = i.quantity FROM orders o
    WHERE o.id = ${orderId} AND o.fulfillment_status <> 'fulfilled' AND i.order_id = o.id AND i.shipped_quantity < i.quantity`);
}

async function deliverShipments(ctx: Ctx, orderId: string): Promise<void> {
  const now = ctx.now();
  await ctx.db.run(sql`
    UPDATE order_shipments SET status = 'delivered', delivered_at = ${now}, updated_at = ${now}
    WHERE order_id = ${orderId} AND status = 'shipped'`);
}
