import { isDeepStrictEqual } from 'node:util';
import { type Ctx, sql } from '@chowk/kit';
import { columns } from './columns.ts';
import { tellCreated, tellStockChanged, tellUpdated } from './events.ts';
import { logMovements } from './movements.ts';
import type { Fields } from './rules.ts';
import type { Product } from './schemas.ts';

/** A product that its transaction has locked, and what is to become of it. */
export interface Edit {
  readonly current: Product;
  readonly fields: Fields;
}

/** Makes products, one or many, in one statement. Those whose SKU is taken are left out of the answer. */
export async function insertProducts(ctx: Ctx, list: readonly Fields[]): Promise<Product[]> {
  if (list.length === 0) return [];
  const rows = list.map((fields) => ({ ...fields, id: ctx.newId(), created_at: ctx.now() }));
  const products = await ctx.db.rows<Product>(sql`
    INSERT INTO products AS p (id, sku, title, description, price, compare_at_price, status, images, tags, categories,
      mandatory, stock, created_at, updated_at)
    SELECT id, sku, title, description, price, compare_at_price, status, images, tags, categories,
      mandatory, stock, created_at, created_at
    FROM jsonb_populate_recordset(NULL::products, ${JSON.stringify(rows)}::jsonb)
    ON CONFLICT (sku_key) WHERE deleted_at IS NULL DO NOTHING
    RETURNING ${columns}`);
  const stocked = products.filter(({ stock }) => stock > 0);
  await logMovements(
    ctx,
    stocked.map(({ id, stock: change }) => ({ product_id: id, change, reason: 'initial' })),
  );
  for (const product of products) await tellCreated(ctx, product);
  return products;
}

/** Writes changed products, one or many, in one statement. */
export async function saveProducts(ctx: Ctx, edits: readonly Edit[]): Promise<Product[]> {
  const changes = edits.map((edit) => ({ ...edit, changed: changedFields(edit) }));
  const dirty = changes.filter(({ changed }) => changed.length > 0);
  const saved = new Map((await writeRows(ctx, dirty)).map((product) => [product.id, product]));
  const moved = dirty.filter(({ changed }) => changed.includes('stock')).map(asMovement);
  await logMovements(ctx, moved);
  for (const { current, changed } of dirty) await tellUpdated(ctx, saved.get(current.id) ?? current, changed);
  for (const { product_id, change, reason } of moved) {
    const product = saved.get(product_id) as Product;
    await tellStockChanged(ctx, { product, change, reserved_change: 0, reason, reference: null });
  }
  return edits.map(({ current }) => saved.get(current.id) ?? current);
}

async function writeRows(ctx: Ctx, edits: readonly Edit[]): Promise<Product[]> {
  if (edits.length === 0) return [];
  const rows = edits.map(({ current: { id }, fields }) => ({ ...fields, id, updated_at: ctx.now() }));
  return ctx.db.rows<Product>(sql`
    UPDATE products p SET sku = n.sku, title = n.title, description = n.description, price = n.price,
      compare_at_price = n.compare_at_price, status = n.status, images = n.images, tags = n.tags,
      categories = n.categories, mandatory = n.mandatory, stock = n.stock, updated_at = n.updated_at
    FROM jsonb_populate_recordset(NULL::products, ${JSON.stringify(rows)}::jsonb) n WHERE p.id = n.id
    RETURNING ${columns}`);
}

function changedFields({ current, fields }: Edit): string[] {
  const names = Object.keys(fields) as (keyof Fields)[];
  return names.filter((name) => !isDeepStrictEqual(fields[name], current[name]));
}

function asMovement({ current, fields }: Edit) {
  return { product_id: current.id, change: fields.stock - current.stock, reason: 'edited' };
}
