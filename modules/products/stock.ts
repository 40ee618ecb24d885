import { type Ctx, sql } from '@chowk/kit';
import { columns } from './columns.ts';
import { fail } from './errors.ts';
import { tellStockChanged } from './events.ts';
import { getProduct } from './products.ts';
import type { Product } from './schemas.ts';

export interface Movement {
  /** Pieces that come onto the shelf, or leave it. */
  readonly change?: number;
  /** Pieces that are promised, or no longer. */
  readonly reserved?: number;
  readonly reason: string;
  readonly reference?: string | undefined;
}

/**
 * Changes what there is and what is promised of it in one statement that asks and takes at once: of callers at the same
 * time, those for whom there is not enough are refused and change nothing.
 */
export function moveStock(ctx: Ctx, { id }: { id: string }, movement: Movement): Promise<Product> {
  const { change = 0, reserved = 0, reason, reference = null } = movement;
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
    if (!product) throw await refusal(tx, id, reserved - change);
    await tellStockChanged(tx, { product, change, reserved_change: reserved, reason, reference });
    return product;
  });
}

async function refusal(ctx: Ctx, id: string, wanted: number) {
  const { sku, available } = await getProduct(ctx, { id });
  return fail('products.insufficient_stock', { sku, available, wanted }, { body: { available } });
}
