import { type Ctx, type JobTypes, job, sql, Type } from '@chowk/kit';
import { fail } from './errors.ts';
import { getProduct } from './products.ts';
import type { Product } from './schemas.ts';
import { moveStock, onlyVariant } from './stock.ts';
import type { NewReservation, RenewedReservation, Reservation } from './stock-schemas.ts';

/** The clock of the server may be ahead of the database's by so much. */
const clockSlackSeconds = 30;

/** Reserves units until the reservation expires, by the clock of the tenant's database. */
export function reserve(
  ctx: Ctx,
  { id, variant_id, quantity, reference, expires_in }: NewReservation,
): Promise<{ product: Product; reservation: Reservation }> {
  return ctx.tx(async (tx) => {
    const variantId = chooseVariant(await getProduct(tx, { id }), variant_id);
    await moveStock(tx, [{ variantId, reserved: quantity, reason: 'reserved', reference }]);
    const reservation = (await tx.db.row<Reservation>(sql`
      INSERT INTO stock_reservations (id, product_id, variant_id, quantity, reference, user_id, created_at, expires_at)
      VALUES (${tx.newId()}, ${id}, ${variantId}, ${quantity}, ${reference ?? null}, ${tx.userId ?? null}, now(),
        now() + make_interval(secs => ${expires_in}))
      RETURNING id, product_id, variant_id, quantity, reference, created_at, expires_at`)) as Reservation;
    await tx.jobs.add('products.release_expired', {}, { delaySeconds: expires_in + clockSlackSeconds });
    return { product: await getProduct(tx, { id }), reservation };
  });
}

/** From now on, by the clock of the tenant's database. One that has expired does not come back, even if its units are not released yet. */
export function renew(ctx: Ctx, { id, reservation, expires_in }: RenewedReservation): Promise<Reservation> {
  return ctx.tx(async (tx) => {
    const renewed = await tx.db.row<Reservation>(sql`
      UPDATE stock_reservations SET expires_at = now() + make_interval(secs => ${expires_in})
      WHERE id = ${reservation} AND product_id = ${id} AND expires_at > now()
      RETURNING id, product_id, variant_id, quantity, reference, created_at, expires_at`);
    if (!renewed) throw fail('products.reservation_not_found', { key: reservation });
    await tx.jobs.add('products.release_expired', {}, { delaySeconds: expires_in + clockSlackSeconds });
    return renewed;
  });
}

function chooseVariant(product: Product, id: string | undefined): string {
  if (id === undefined) return onlyVariant(product);
  if (!product.variants.some((variant) => variant.id === id)) throw fail('products.variant_not_found', { key: id });
  return id;
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
    const deleted = await tx.db.row<{ variant_id: string; quantity: number; reference: string | null }>(sql`
      DELETE FROM stock_reservations WHERE id = ${reservation} AND product_id = ${id}
      RETURNING variant_id, quantity, reference`);
    if (!deleted) throw fail('products.reservation_not_found', { key: reservation });
    const { variant_id: variantId, quantity, reference } = deleted;
    const units = { reserved: -quantity, change: reason === 'sold' ? -quantity : 0 };
    await moveStock(tx, [{ variantId, ...units, reason, reference }]);
    return getProduct(tx, { id });
  });
}

export const jobs = {
  // Each reservation adds one for its end. The schedule finds those for which it came too early.
  'products.release_expired': job({ data: Type.Object({}), schedule: '3-59/15 * * * *', run: releaseExpired }),
};

declare module '@chowk/kit/catalogue' {
  interface Jobs extends JobTypes<typeof jobs> {}
}

/** Limits how long a transaction locks products. */
const batchSize = 500;

async function releaseExpired(ctx: Ctx): Promise<void> {
  for (let released = batchSize; released === batchSize; ) released = await ctx.tx(releaseBatch);
}

/** Compares times of the database's clock only. */
async function releaseBatch(ctx: Ctx): Promise<number> {
  // Another transaction is ending a locked reservation.
  const expired = await ctx.db.rows<{ variant_id: string; quantity: number; reference: string | null }>(sql`
    DELETE FROM stock_reservations WHERE id IN (
      SELECT id FROM stock_reservations WHERE expires_at <= now()
      ORDER BY expires_at LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)
    RETURNING variant_id, quantity, reference`);
  await moveStock(
    ctx,
    expired.map(({ variant_id: variantId, quantity, reference }) => ({
      variantId,
      reserved: -quantity,
      reason: 'expired',
      reference,
    })),
  );
  return expired.length;
}
