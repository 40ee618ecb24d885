import type { Ctx } from '@chowk/kit';
import type { Order, Status } from './schemas.ts';

/* What orders hold of the stock of the products module, if the tenant has it. */

interface Held {
  readonly id: string;
  readonly order_number?: string;
  readonly status: Status;
  readonly track_stock: boolean;
  readonly items: readonly Pick<Order['items'][number], 'id' | 'variant_id' | 'quantity'>[];
}

const shipped: ReadonlySet<Status> = new Set(['shipped', 'delivered']);
const released: ReadonlySet<Status> = new Set(['cancelled', 'failed', 'refunded']);

/**
 * Makes the stock follow the order: an open order reserves its items, a shipped one has taken them, and a cancelled, failed or
 * refunded one releases what was not shipped. Fails if there are too few units. Calling it again changes nothing.
 */
export async function followStock(ctx: Ctx, { id, order_number, status, track_stock, items }: Held): Promise<void> {
  if (!track_stock) return;
  const order = { order_id: id, ...(order_number === undefined ? {} : { order_number }) };
  if (released.has(status)) {
    await ctx.bus.callIfInstalled('products.releaseForOrder', order);
    return;
  }
  const lines = items.flatMap(({ id: line_id, variant_id, quantity }) =>
    variant_id === null ? [] : [{ line_id, variant_id, quantity }],
  );
  await ctx.bus.callIfInstalled('products.reserveForOrder', { ...order, lines });
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
