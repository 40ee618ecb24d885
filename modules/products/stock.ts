import { type Ctx, invalid, sql } from '@chowk/kit';
import { columns } from './columns.ts';
import { fail } from './errors.ts';
import { emitStockChanged } from './events.ts';
import { getProduct } from './products.ts';
import { maxStock, type Product } from './schemas.ts';

interface Movement {
  readonly id: string;
  /** Units to add to the stock; negative to remove them. */
  readonly change?: number;
  /** Units to reserve; negative to release them. */
  readonly reserved?: number;
  readonly reason: string;
  readonly reference?: string | undefined;
}

/** Checks and changes stock and reserved units in one statement: with too few units it fails and changes nothing. */
export function moveStock(ctx: Ctx, movement: Movement): Promise<Product> {
  const { id, change = 0, reserved = 0, reason, reference = null } = movement;
  return ctx.tx(async (tx) => {
    const product = await tx.db.row<Product>(sql`
      WITH moved AS (
        UPDATE products p SET stock = stock + ${change}, reserved = reserved + ${reserved}, updated_at = ${tx.now()}
        WHERE id = ${id} AND deleted_at IS NULL AND stock + ${change}::bigint
          BETWEEN reserved + ${reserved}::bigint AND ${maxStock}
        RETURNING ${columns}),
      logged AS (
        INSERT INTO stock_movements (id, product_id, change, reserved_change, reason, reference, user_id, at)
        SELECT ${tx.newId()}, id, ${change}, ${reserved}, ${reason}, ${reference}, ${tx.userId ?? null}, ${tx.now()}
        FROM moved)
      SELECT * FROM moved`);
    if (!product) throw await refusal(tx, id, reserved - change);
    await emitStockChanged(tx, [{ product, change, reserved_change: reserved, reason, reference }]);
    return product;
  });
}

async function refusal(ctx: Ctx, id: string, requested: number) {
  const { sku, available } = await getProduct(ctx, { id });
  // Not decided by what is available now: another transaction may have changed it meanwhile.
  if (requested <= 0) {
    return invalid({ change: { code: 'too_large', message: `The stock must be at most ${maxStock}.` } });
  }
  return fail('products.insufficient_stock', { sku, available, requested }, { body: { available } });
}
