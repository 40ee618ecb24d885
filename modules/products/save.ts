import { type Ctx, changesBetween, columnNames, sql } from '@chowk/kit';
import { columns } from './columns.ts';
import { emitMandatoryChanged, emitStockChanged } from './events.ts';
import { removeFiles } from './image-list.ts';
import { logMovements } from './movements.ts';
import { NewProduct, type Product } from './schemas.ts';

/** The fields of a product that a merchant sets. */
export type Fields = Pick<Product, keyof NewProduct>;

/** A locked product and its new fields. */
export interface Edit {
  readonly current: Product;
  readonly fields: Fields;
}

const names = columnNames(NewProduct);

/** Creates products in one statement. Products whose SKU is taken are skipped. */
export async function insertProducts(ctx: Ctx, list: readonly Fields[]): Promise<Product[]> {
  if (list.length === 0) return [];
  const rows = list.map((fields) => ({ ...fields, id: ctx.newId(), created_at: ctx.now() }));
  const products = await ctx.db.rows<Product>(sql`
    INSERT INTO products AS p (id, ${names}, created_at, updated_at)
    SELECT id, ${names}, created_at, created_at
    FROM jsonb_populate_recordset(NULL::products, ${JSON.stringify(rows)}::jsonb)
    ON CONFLICT (sku_key) WHERE deleted_at IS NULL DO NOTHING
    RETURNING ${columns}`);
  const stocked = products.filter(({ stock }) => stock > 0);
  await logMovements(
    ctx,
    stocked.map(({ id, stock: change }) => ({ product_id: id, change, reason: 'initial' })),
  );
  await ctx.emitAll(
    'product.created',
    products.map((product) => ({ product })),
  );
  await emitMandatoryChanged(ctx, products);
  return products;
}

/** Updates changed products in one statement, with events and stock movements. */
export async function saveProducts(ctx: Ctx, edits: readonly Edit[]): Promise<Product[]> {
  const changes = edits.filter((edit) => changedFields(edit).length > 0);
  const saved = new Map((await writeRows(ctx, changes)).map((product) => [product.id, product]));
  const changed = changes.map((edit) => ({ ...edit, product: saved.get(edit.current.id) as Product }));
  await ctx.emitAll(
    'product.updated',
    changed.map(({ product, ...edit }) => ({ product, changed: changedFields(edit) })),
  );
  const shown = changed.filter((edit) => changedFields(edit).some((field) => field !== 'stock'));
  await emitMandatoryChanged(
    ctx,
    shown.flatMap(({ current, product }) => [current, product]),
  );
  for (const { current, fields } of changed) await removeFiles(ctx, current.images, fields.images);
  const moved = changed
    .map(({ product, current }) => ({ product, change: product.stock - current.stock, reason: 'edited' }))
    .filter(({ change }) => change !== 0);
  await emitStockChanged(
    ctx,
    moved.map((movement) => ({ ...movement, reserved_change: 0, reference: null })),
  );
  await logMovements(
    ctx,
    moved.map(({ product: { id: product_id }, change, reason }) => ({ product_id, change, reason })),
  );
  return edits.map(({ current }) => saved.get(current.id) ?? current);
}

async function writeRows(ctx: Ctx, edits: readonly Edit[]): Promise<Product[]> {
  if (edits.length === 0) return [];
  const rows = edits.map(({ current: { id }, fields }) => ({ ...fields, id, updated_at: ctx.now() }));
  return ctx.db.rows<Product>(sql`
    UPDATE products p SET (${names}, updated_at) = (SELECT ${columnNames(NewProduct, sql`n`)}, n.updated_at)
    FROM jsonb_populate_recordset(NULL::products, ${JSON.stringify(rows)}::jsonb) n WHERE p.id = n.id
    RETURNING ${columns}`);
}

export function changedFields({ current, fields }: Edit): string[] {
  return Object.keys(changesBetween<Fields>(current, fields));
}
