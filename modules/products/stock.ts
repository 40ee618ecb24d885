import { type Ctx, sql } from '@chowk/kit';
import { columns } from './columns.ts';
import { fail } from './errors.ts';
import { emitStockChanged } from './events.ts';
import { getProduct } from './products.ts';
import type { Product } from './schemas.ts';

interface Movement {
  readonly id: string;
  /** Units that are added to the stock or removed from it. */
  readonly change?: number;
  /** Units that become reserved, or no longer. */
  readonly reserved?: number;
  readonly reason: string;
  readonly reference?: string | undefined;
}

/**
 * Changes stock and reserved units in one statement that checks and takes at once: of callers at the same time, those
 * for whom there is not enough are refused and change nothing.
 */
export function moveStock(ctx: Ctx, movement: Movement): Promise<Product> {
  const { id, change = 0, reserved = 0, reason, reference = null } = movement;
  return ctx.tx(async (tx) => {
    const product = await tx.db.row<Product>(sql`
      WITH moved AS (
        UPDATE products p SET stock = stock + ${change}, reserved = reserved + ${reserved}, updated_at = ${tx.now()}
        WHERE id = ${id} AND deleted_at IS NULL AND stock + ${change} >= reserved + ${reserved}
        RETURNING ${columns}),
      logged AS (
        INSERT INTO stock_movements (id, product_id, change, reserved_change, reason, reference, user_id, at)
        SELECT ${tx.newId()}, id, ${change}, ${reserved}, ${reason}, ${reference}, ${tx.userId ?? null}, ${tx.now()}
        FROM moved)
      SELECT * FROM moved`);
    if (!product) throw await insufficient(tx, id, reserved - change);
    await emitStockChanged(tx, { product, change, reserved_change: reserved, reason, reference });
    return product;
  });
}

async function insufficient(ctx: Ctx, id: string, wanted: number) {
  const { sku, available } = await getProduct(ctx, { id });
  return fail('products.insufficient_stock', { sku, available, wanted }, { body: { available } });
}
