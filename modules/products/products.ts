import { type Ctx, invalid, sql } from '@chowk/kit';
import { columns } from './columns.ts';
import { fail } from './errors.ts';
import { tellDeleted } from './events.ts';
import { applyChanges } from './rules.ts';
import { insertProducts, saveProducts } from './save.ts';
import type { NewProduct, Product, ProductChanges, ProductKey } from './schemas.ts';

export async function getProduct(ctx: Ctx, { id, sku }: ProductKey): Promise<Product> {
  const product = await ctx.db.row<Product>(
    id === undefined
      ? sql`SELECT ${columns} FROM products p WHERE sku_key = lower(${sku}) AND deleted_at IS NULL`
      : sql`SELECT ${columns} FROM products p WHERE id = ${id} AND deleted_at IS NULL`,
  );
  if (!product) throw fail('products.not_found', { key: id ?? sku });
  return product;
}

export async function createProduct(ctx: Ctx, input: NewProduct): Promise<Product> {
  const { fields, errors } = applyChanges({}, input);
  if (errors) throw invalid(errors);
  const [product] = await ctx.tx((tx) => insertProducts(tx, [fields]));
  if (!product) throw skuTaken(fields.sku);
  return product;
}

export async function updateProduct(ctx: Ctx, { id }: { id: string }, changes: ProductChanges): Promise<Product> {
  try {
    return await ctx.tx((tx) => updateLocked(tx, id, changes));
  } catch (error) {
    if (isSkuConflict(error)) throw skuTaken(changes.sku);
    throw error;
  }
}

/** Hides the product for good; its SKU is free again. What is promised to somebody stays. */
export async function deleteProduct(ctx: Ctx, { id }: { id: string }): Promise<void> {
  await ctx.tx(async (tx) => {
    const now = tx.now();
    const product = await tx.db.row<Product>(sql`
      UPDATE products p SET deleted_at = ${now}, updated_at = ${now}
      WHERE id = ${id} AND deleted_at IS NULL AND reserved = 0 RETURNING ${columns}`);
    if (!product) throw fail('products.has_reservations', await getProduct(tx, { id }));
    await tellDeleted(tx, product);
  });
}

export async function listCategories(ctx: Ctx): Promise<{ name: string; count: number }[]> {
  return ctx.db.rows(sql`
    SELECT name, count(*) AS count FROM products, unnest(categories) AS name WHERE deleted_at IS NULL
    GROUP BY name ORDER BY count DESC, name`);
}

async function updateLocked(ctx: Ctx, id: string, changes: ProductChanges): Promise<Product> {
  const current = await ctx.db.row<Product>(
    sql`SELECT ${columns} FROM products p WHERE id = ${id} AND deleted_at IS NULL FOR UPDATE`,
  );
  if (!current) throw fail('products.not_found', { key: id });
  const { fields, errors } = applyChanges(current, changes);
  if (errors) throw invalid(errors);
  if (fields.stock < current.reserved) {
    const { sku, available } = current;
    throw fail('products.insufficient_stock', { sku, available, wanted: current.stock - fields.stock });
  }
  const [product] = await saveProducts(ctx, [{ current, fields }]);
  return product as Product;
}

function skuTaken(sku: string | undefined) {
  return invalid({ sku: [`The sku ${sku} is taken.`] });
}

function isSkuConflict(error: unknown): boolean {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  return code === '23505' && constraint === 'products_sku';
}
