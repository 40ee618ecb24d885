import type { Ctx } from '@chowk/kit';
import { readRefundedUnits } from './refunded-units.ts';
import type { Order, Status } from './schemas.ts';

/* What orders hold of the stock of the products module, if the tenant has it. */

interface Held {
  readonly id: string;
  /** A new order has none. */
  readonly order_number?: string;
  readonly status: Status;
  readonly track_stock: boolean;
  readonly refunded_total?: string;
  readonly items: readonly Pick<Order['items'][number], 'id' | 'variant_id' | 'quantity'>[];
}

const shipped: ReadonlySet<Status> = new Set(['shipped', 'delivered']);
const released: ReadonlySet<Status> = new Set(['cancelled', 'failed', 'refunded']);

/**
 * Makes the stock follow the order: an open order reserves its items, a shipped one has taken them, and a cancelled, failed or
 * refunded one releases what was not shipped. Fails if there are too few units. Calling it again changes nothing.
 */
export async function followStock(ctx: Ctx, held: Held): Promise<void> {
  const { status, track_stock } = held;
  if (!track_stock) return;
  const order = orderKey(held);
  if (released.has(status)) {
    await ctx.bus.callIfInstalled('products.releaseForOrder', order);
    return;
  }
  const hasRefunds = held.refunded_total !== undefined && held.refunded_total !== '0.00';
  const lines = keptLines(held, hasRefunds ? await readRefundedUnits(ctx, held.id) : new Map());
  await ctx.bus.callIfInstalled('products.reserveForOrder', { ...order, lines, is_new: !held.order_number });
  if (lines.length === 0 || !shipped.has(status)) return;
  await ctx.bus.callIfInstalled('products.commitForOrder', {
    ...order,
    lines: lines.map(({ line_id, quantity }) => ({ line_id, quantity })),
  });
}

/** Takes what has been shipped of the items out of the stock, at a location. An unknown location is an error, also without stock. */
export async function commitShipped(
  ctx: Ctx,
  { id, order_number, track_stock, items }: Pick<Order, 'id' | 'order_number' | 'track_stock' | 'items'>,
  location_id: string | null,
): Promise<void> {
  if (!track_stock && location_id === null) return;
  const lines = items.map((item) => ({ line_id: item.id, quantity: item.shipped_quantity }));
  await ctx.bus.callIfInstalled('products.commitForOrder', {
    order_id: id,
    order_number,
    lines: track_stock ? lines : [],
    location_id,
  });
}

/** Takes units of a cancelled shipment back: an open order reserves them again. */
export async function uncommitShipped(ctx: Ctx, order: Order, location_id: string | null): Promise<void> {
  if (!order.track_stock) return;
  const lines = order.items.map((item) => ({ line_id: item.id, quantity: item.shipped_quantity }));
  await ctx.bus.callIfInstalled('products.uncommitForOrder', { ...orderKey(order), lines, location_id });
  if (released.has(order.status)) await followStock(ctx, order);
}

/** Returns units that were refunded and restocked: those that were shipped go back into the stock, others are released. */
export async function returnStock(ctx: Ctx, order: Order, location_id: string | null | undefined): Promise<void> {
  if (!order.track_stock) return;
  const lines = keptLines(order, await readRefundedUnits(ctx, order.id));
  await ctx.bus.callIfInstalled('products.returnForOrder', {
    ...orderKey(order),
    lines: lines.map(({ line_id, quantity }) => ({ line_id, quantity })),
    location_id: location_id ?? null,
  });
}

function orderKey({ id, order_number }: Held) {
  return { order_id: id, ...(order_number === undefined ? {} : { order_number }) };
}

/** The items with a variant, without the units that were given back. */
function keptLines({ items }: Held, refunded: ReadonlyMap<string, { readonly restocked: number }>) {
  return items.flatMap(({ id: line_id, variant_id, quantity }) => {
    const kept = Math.max(quantity - (refunded.get(line_id)?.restocked ?? 0), 0);
    return variant_id === null ? [] : [{ line_id, variant_id, quantity: kept }];
  });
}
