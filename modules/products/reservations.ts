import { type Ctx, sql } from '@chowk/kit';
import { columns } from './columns.ts';
import { fail } from './errors.ts';
import { emitStockChanged } from './events.ts';
import { logMovements } from './movements.ts';
import { getProduct } from './products.ts';
import type { NewReservation, Product, Reservation } from './schemas.ts';
import { moveStock } from './stock.ts';

/** Holds units for some time. */
export function reserve(
  ctx: Ctx,
  { id, quantity, reference, expires_in }: NewReservation,
): Promise<{ product: Product; reservation: Reservation }> {
  return ctx.tx(async (tx) => {
    const product = await moveStock(tx, { id, reserved: quantity, reason: 'reserved', reference });
    const now = tx.now();
    const expiresAt = new Date(now.getTime() + expires_in * 1_000);
    const reservation = (await tx.db.row<Reservation>(sql`
      INSERT INTO stock_reservations (id, product_id, quantity, reference, user_id, created_at, expires_at)
      VALUES (${tx.newId()}, ${id}, ${quantity}, ${reference ?? null}, ${tx.userId ?? null}, ${now}, ${expiresAt})
      RETURNING id, product_id, quantity, reference, created_at, expires_at`)) as Reservation;
    return { product, reservation };
  });
}

/** Reserved units become available again, or they are sold. */
type Ending = 'release' | 'commit';

export function endReservation(
  ctx: Ctx,
  { id, reservation }: { id: string; reservation: string },
  ending: Ending,
): Promise<Product> {
  return ctx.tx(async (tx) => {
    const gone = await tx.db.row<{ quantity: number; reference: string | null }>(sql`
      DELETE FROM stock_reservations WHERE id = ${reservation} AND product_id = ${id} RETURNING quantity, reference`);
    if (!gone) throw fail('products.reservation_not_found', { key: reservation });
    return end(tx, id, ending, gone.quantity, gone.reference ?? undefined);
  });
}

/** Ends all reservations of a reference. To release what is released already changes nothing. */
export function endReservationsFor(
  ctx: Ctx,
  { id, reference }: { id: string; reference: string },
  ending: Ending,
): Promise<Product> {
  return ctx.tx(async (tx) => {
    const gone = await tx.db.rows<{ quantity: number }>(sql`
      DELETE FROM stock_reservations WHERE product_id = ${id} AND reference = ${reference} RETURNING quantity`);
    if (gone.length > 0) return end(tx, id, ending, total(gone), reference);
    if (ending === 'commit') throw fail('products.reservation_not_found', { key: reference });
    return getProduct(tx, { id });
  });
}

/** Few enough that no transaction locks many products for long. */
const batchSize = 500;

/** Releases the reservations that have expired. */
export async function releaseExpired(ctx: Ctx): Promise<void> {
  for (let released = batchSize; released === batchSize; ) released = await ctx.tx(releaseBatch);
}

async function releaseBatch(ctx: Ctx): Promise<number> {
  // One that is locked is being ended by another transaction.
  const gone = await ctx.db.rows<{ product_id: string; quantity: number; reference: string | null }>(sql`
    DELETE FROM stock_reservations WHERE id IN (
      SELECT id FROM stock_reservations WHERE expires_at <= ${ctx.now()}
      ORDER BY expires_at LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)
    RETURNING product_id, quantity, reference`);
  if (gone.length === 0) return 0;
  const byProduct = Map.groupBy(gone, ({ product_id }) => product_id);
  const totals = [...byProduct].map(([id, rows]) => ({ id, reserved: total(rows) }));
  const products = await ctx.db.rows<Product>(sql`
    UPDATE products p SET reserved = p.reserved - gone.reserved, updated_at = ${ctx.now()}
    FROM jsonb_populate_recordset(NULL::products, ${JSON.stringify(totals)}::jsonb) gone WHERE p.id = gone.id
    RETURNING ${columns}`);
  await logMovements(
    ctx,
    gone.map(({ quantity, ...row }) => ({ ...row, reserved_change: -quantity, reason: 'expired' })),
  );
  for (const product of products) {
    const reserved_change = -total(byProduct.get(product.id) ?? []);
    await emitStockChanged(ctx, { product, change: 0, reserved_change, reason: 'expired', reference: null });
  }
  return gone.length;
}

function end(ctx: Ctx, id: string, ending: Ending, quantity: number, reference: string | undefined): Promise<Product> {
  const movement =
    ending === 'release'
      ? { reserved: -quantity, reason: 'released' }
      : { change: -quantity, reserved: -quantity, reason: 'sold' };
  return moveStock(ctx, { id, ...movement, reference });
}

function total(rows: readonly { quantity: number }[]): number {
  return rows.reduce((sum, { quantity }) => sum + quantity, 0);
}
