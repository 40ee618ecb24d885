import { assignments, type Ctx, changesBetween, type Issues, sql } from '@chowk/kit';
import { fail } from './errors.ts';
import { followUnits, isUnderWay } from './fulfillment.ts';
import { logChanges, shipmentChanges } from './history.ts';
import { commitShipped } from './order-stock.ts';
import { lockOrder } from './orders.ts';
import { findShipment, recordShipment } from './record-shipment.ts';
import { readKeptItems } from './refunded-units.ts';
import { nextStatuses } from './rules.ts';
import { touchOrder } from './save.ts';
import type { Order } from './schemas.ts';
import type { NewShipment, Shipment, ShipmentChanges } from './shipment-schemas.ts';
import { addUnits, countLeft, isShipped, listLeft, type Units } from './shipped-units.ts';
import { transition } from './transition.ts';

interface Parcel {
  readonly current: Order;
  readonly units: readonly Units[];
}

export async function checkNewShipment(
  ctx: Ctx,
  { id, items, tracking_url }: Partial<NewShipment>,
  issues: Issues,
): Promise<Parcel | undefined> {
  checkUrl(tracking_url, issues);
  if (id === undefined) return undefined;
  const current = await lockOrder(ctx, id);
  const kept = await readKeptItems(ctx, current);
  const left = listLeft(kept);
  if (isShipped(current.status)) throw fail('orders.nothing_to_ship');
  if (!nextStatuses(current).includes('shipped')) throw fail('orders.not_shippable', current);
  if (left.length === 0) throw fail('orders.nothing_to_ship');
  if (items) checkUnits(kept, items, issues);
  return { current, units: items ?? left };
}

function checkUnits(items: Order['items'], units: readonly Units[], issues: Issues): void {
  for (const [index, { item_id, quantity }] of units.entries()) {
    const item = items.find(({ id }) => id === item_id);
    const isNamedBefore = units.slice(0, index).some((unit) => unit.item_id === item_id);
    if (!item) issues.add(`items.${index}.item_id`, `The order has no item ${item_id}.`, 'unknown');
    else if (isNamedBefore) issues.add(`items.${index}.item_id`, 'The item is named twice.', 'taken');
    else if (quantity > countLeft(item)) {
      const message = `${item.quantity} of ${item.name} were ordered and ${item.shipped_quantity} have been shipped.`;
      issues.add(`items.${index}.quantity`, message, 'too_large');
    }
  }
}

function checkUrl(url: string | null | undefined, issues: Issues): void {
  if (!url || (URL.canParse(url) && url.toLowerCase().startsWith('https://'))) return;
  issues.add('tracking_url', 'The URL must begin with https://.');
}

/** Takes the units out of the stock; the status of the order follows. */
export async function createShipment(ctx: Ctx, input: NewShipment, { current, units }: Parcel): Promise<Shipment> {
  const { carrier, tracking_number, tracking_url, location_id, notify } = input;
  const items = addUnits(current.items, units);
  await commitShipped(ctx, { ...current, items }, location_id);
  const details = { carrier, tracking_number, tracking_url, location_id };
  const shipment = await recordShipment(ctx, current.id, units, details);
  const counted = { ...current, items };
  const followed = await followUnits(ctx, counted);
  const order = followed === counted ? await touchOrder(ctx, current, 'shipments') : followed;
  await logChanges(ctx, order, shipmentChanges(shipment));
  await ctx.emit('order.shipped', { order, shipment, notify });
  return shipment;
}

interface Edit {
  readonly current: Order;
  readonly shipment: Shipment;
}

export async function checkShipmentChanges(
  ctx: Ctx,
  { id, shipment: key, tracking_url, status }: Partial<ShipmentChanges>,
  issues: Issues,
): Promise<Edit | undefined> {
  checkUrl(tracking_url, issues);
  if (id === undefined || key === undefined) return undefined;
  const current = await lockOrder(ctx, id);
  const shipment = await findShipment(ctx, id, key);
  if (!shipment) throw fail('orders.shipment_not_found', { key });
  const isClosed = shipment.status !== 'shipped' && status !== undefined && status !== shipment.status;
  if (isClosed) issues.add('status', `The shipment is ${shipment.status}.`, 'not_allowed');
  return { current, shipment };
}

/** Once all shipments of a shipped order are delivered, the order is. */
export async function updateShipment(ctx: Ctx, input: ShipmentChanges, { current, shipment }: Edit): Promise<Shipment> {
  const { id, shipment: key, ...sent } = input;
  const changes = changesBetween<object>(shipment, sent);
  if (Object.keys(changes).length === 0) return shipment;
  const now = ctx.now();
  const times = { updated_at: now, ...(changes.status ? { delivered_at: now } : {}) };
  await ctx.db.run(sql`UPDATE order_shipments SET ${assignments({ ...sent, ...times })} WHERE id = ${key}`);
  ctx.audit(changes);
  const isDelivered = current.status === 'shipped' && changes.status && !(await isUnderWay(ctx, id));
  const order = await (isDelivered ? transition(ctx, current, 'delivered') : touchOrder(ctx, current, 'shipments'));
  const changed = (await findShipment(ctx, id, key)) as Shipment;
  if (changes.status) await logChanges(ctx, order, shipmentChanges(changed, shipment.status));
  return changed;
}
