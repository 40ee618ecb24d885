import { type Ctx, type JobTypes, job, sql, Type, Uuid } from '@chowk/kit';
import { fail } from './errors.ts';
import type { NewReservation, Product, Reservation } from './schemas.ts';
import { moveStock } from './stock.ts';

/** Reserves units until the reservation expires, by the clock of the tenant's database. */
export function reserve(
  ctx: Ctx,
  { id, quantity, reference, expires_in }: NewReservation,
): Promise<{ product: Product; reservation: Reservation }> {
  return ctx.tx(async (tx) => {
    const product = await moveStock(tx, { id, reserved: quantity, reason: 'reserved', reference });
    const reservation = (await tx.db.row<Reservation>(sql`
      INSERT INTO stock_reservations (id, product_id, quantity, reference, user_id, created_at, expires_at)
      VALUES (${tx.newId()}, ${id}, ${quantity}, ${reference ?? null}, ${tx.userId ?? null}, now(),
        now() + make_interval(secs => ${expires_in}))
      RETURNING id, product_id, quantity, reference, created_at, expires_at`)) as Reservation;
    await tx.jobs.add('products.release_expired', { id: reservation.id }, { delaySeconds: expires_in });
    return { product, reservation };
  });
}

type Key = { readonly id: string; readonly reservation: string };

export function release(ctx: Ctx, key: Key): Promise<Product> {
  return endReservation(ctx, key, 'released');
}

/** Removes the units from the stock as sold. */
export function commit(ctx: Ctx, key: Key): Promise<Product> {
  return endReservation(ctx, key, 'sold');
}

function endReservation(ctx: Ctx, { id, reservation }: Key, reason: 'released' | 'sold'): Promise<Product> {
  return ctx.tx(async (tx) => {
    const deleted = await tx.db.row<{ quantity: number; reference: string | null }>(sql`
      DELETE FROM stock_reservations WHERE id = ${reservation} AND product_id = ${id} RETURNING quantity, reference`);
    if (!deleted) throw fail('products.reservation_not_found', { key: reservation });
    const units = { reserved: -deleted.quantity, change: reason === 'sold' ? -deleted.quantity : 0 };
    return moveStock(tx, { id, ...units, reason, reference: deleted.reference ?? undefined });
  });
}

export const jobs = {
  'products.release_expired': job({
    data: Type.Object({ id: Type.Optional(Uuid) }),
    run: releaseExpired,
  }),
};

declare module '@chowk/kit/catalogue' {
  interface Jobs extends JobTypes<typeof jobs> {}
}

/** Limits how long a transaction locks products. */
const batchSize = 500;

async function releaseExpired(ctx: Ctx, own: { id?: string }): Promise<void> {
  for (let released = batchSize; released === batchSize; ) released = await ctx.tx(releaseBatch);
  // The queue has another clock, so that the job may come early; and another transaction may hold the reservation.
  const left = await ctx.db.row<{ seconds: number }>(sql`
    SELECT ceil(extract(epoch FROM expires_at - now()))::integer AS seconds FROM stock_reservations WHERE id = ${own.id ?? null}`);
  if (left) await ctx.jobs.add('products.release_expired', own, { delaySeconds: Math.max(left.seconds, 1) });
}

async function releaseBatch(ctx: Ctx): Promise<number> {
  // Another transaction is ending a locked reservation.
  const expired = await ctx.db.rows<{ id: string; quantity: number; reference: string | null }>(sql`
    DELETE FROM stock_reservations WHERE id IN (
      SELECT id FROM stock_reservations WHERE expires_at <= now()
      ORDER BY expires_at LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)
    RETURNING product_id AS id, quantity, reference`);
  // The order of ids prevents deadlocks between batches.
  for (const { id, quantity, reference } of expired.sort((a, b) => (a.id < b.id ? -1 : 1))) {
    await moveStock(ctx, { id, reserved: -quantity, reason: 'expired', reference: reference ?? undefined });
  }
  return expired.length;
}
