import {
  type Ctx,
  changesBetween,
  type Failure,
  type Issues,
  invalid,
  pickFields,
  removedFields,
  sql,
  taken,
  violatedIndex,
} from '@chowk/kit';
import { checkCopy, findCopies, mustNotBeCopy, requireRights } from './catalogue-rules.ts';
import { columns } from './columns.ts';
import { fail } from './errors.ts';
import { emitMandatoryChanged } from './events.ts';
import { mergeImages, removeFiles } from './image-list.ts';
import { type Edit, type Fields, insertProducts, saveProducts } from './save.ts';
import { NewProduct, type Product, type ProductChanges } from './schemas.ts';

type Key = { readonly id: string };

export async function getProduct(ctx: Ctx, { id, sku }: { id?: string; sku?: string }): Promise<Product> {
  const product = await ctx.db.row<Product>(
    id === undefined
      ? sql`SELECT ${columns} FROM products p WHERE sku_key = lower(${sku}) AND deleted_at IS NULL`
      : sql`SELECT ${columns} FROM products p WHERE id = ${id} AND deleted_at IS NULL`,
  );
  if (!product) throw fail('products.not_found', { key: id ?? sku });
  return product;
}

export async function getProducts(ctx: Ctx, keys: readonly Key[]): Promise<(Product | Failure)[]> {
  const ids = keys.map(({ id }) => id);
  const rows = await ctx.db.rows<Product>(sql`
    SELECT ${columns} FROM products p WHERE id = ANY(${ids}::uuid[]) AND deleted_at IS NULL`);
  const products = new Map(rows.map((product) => [product.id, product]));
  return ids.map((id) => products.get(id.toLowerCase()) ?? fail('products.not_found', { key: id }));
}

export async function getProductsBySku(
  ctx: Ctx,
  keys: readonly { readonly sku: string }[],
): Promise<(Product | Failure)[]> {
  const skus = keys.map(({ sku }) => sku);
  const rows = await ctx.db.rows<Product & { key: string }>(sql`
    SELECT k.sku AS key, ${columns} FROM unnest(${skus}::text[]) AS k (sku)
      JOIN products p ON p.sku_key = lower(k.sku) AND p.deleted_at IS NULL`);
  const products = new Map(rows.map(({ key, ...product }) => [key, product]));
  return skus.map((sku) => products.get(sku) ?? fail('products.not_found', { key: sku }));
}

export async function checkNewProduct(ctx: Ctx, input: Partial<NewProduct>, issues: Issues): Promise<void> {
  requireRights(ctx, false, input.mandatory);
  checkPrice(input, issues);
  // Only if there are other problems to report; otherwise the insertion checks it.
  if (issues.any) await checkSku(ctx, input.sku, issues);
}

export async function createProduct(ctx: Ctx, input: NewProduct): Promise<Product> {
  const [product] = await insertProducts(ctx, [{ ...input, images: mergeImages(ctx, [], input.images) }]);
  if (!product) throw invalid({ sku: skuTaken(input.sku) });
  return product;
}

export async function checkChanges(
  ctx: Ctx,
  { id, ...changes }: Partial<ProductChanges & Key>,
  issues: Issues,
): Promise<Edit | undefined> {
  if (id === undefined) return undefined;
  const current = await lockProduct(ctx, id);
  const images = changes.images ? { images: mergeImages(ctx, current.images, changes.images) } : {};
  const fields = { ...pickFields(NewProduct, current), ...changes, ...images } as Fields;
  const isCopy = (await findCopies(ctx, [current])).size > 0;
  if (isCopy) checkCopy(current, fields, issues);
  else requireRights(ctx, current.mandatory, fields.mandatory);
  checkPrice(fields, issues);
  if (fields.sku !== current.sku) await checkSku(ctx, fields.sku, issues, id);
  return { current, fields };
}

export async function updateProduct(ctx: Ctx, _input: ProductChanges & Key, edit: Edit): Promise<Product> {
  const { current, fields } = edit;
  if (fields.stock < current.reserved) {
    const { sku, available } = current;
    throw fail('products.insufficient_stock', { sku, available, requested: current.stock - fields.stock });
  }
  ctx.audit(changesBetween<Fields>(current, fields));
  try {
    const [product] = await saveProducts(ctx, [edit]);
    return product as Product;
  } catch (error) {
    // A concurrent request has taken the SKU.
    throw violatedIndex(error) === 'products_sku' ? invalid({ sku: skuTaken(fields.sku) }) : error;
  }
}

/** Keeps the row with `deleted_at`, without images; the SKU becomes free. */
export async function deleteProduct(ctx: Ctx, { id }: Key): Promise<void> {
  await ctx.tx(async (tx) => {
    const product = await lockProduct(tx, id);
    await mustNotBeCopy(tx, product);
    requireRights(tx, product.mandatory, false);
    if (product.reserved > 0) throw fail('products.has_reservations', product);
    await tx.db.run(sql`
      UPDATE products SET images = '[]', deleted_at = ${tx.now()}, updated_at = ${tx.now()} WHERE id = ${id}`);
    await removeFiles(tx, product.images, []);
    tx.audit(removedFields(product));
    await tx.emit('product.deleted', { product });
    await emitMandatoryChanged(tx, [product]);
  });
}

export async function lockProduct(ctx: Ctx, id: string): Promise<Product> {
  const product = await ctx.db.row<Product>(
    sql`SELECT ${columns} FROM products p WHERE id = ${id} AND deleted_at IS NULL FOR UPDATE`,
  );
  if (!product) throw fail('products.not_found', { key: id });
  ctx.mustMatch(product);
  return product;
}

export async function listCategories(ctx: Ctx): Promise<{ categories: { name: string; count: number }[] }> {
  const categories = await ctx.db.rows<{ name: string; count: number }>(sql`
    SELECT name, count(*) AS count FROM products, unnest(categories) AS name WHERE deleted_at IS NULL
    GROUP BY name ORDER BY count DESC, name`);
  return { categories };
}

/** A problem that the schema cannot express. */
export function priceProblem({ price, compare_at_price: before }: ProductChanges): string | undefined {
  const isLess = price !== undefined && before != null && Number(before) < Number(price);
  return isLess ? 'The compare at price must be at least the price.' : undefined;
}

function checkPrice(fields: ProductChanges, issues: Issues): void {
  const problem = priceProblem(fields);
  if (problem) issues.add('compare_at_price', problem);
}

async function checkSku(ctx: Ctx, sku: string | undefined, issues: Issues, id: string | null = null): Promise<void> {
  if (sku === undefined) return;
  const other = await ctx.db.row(sql`
    SELECT FROM products WHERE sku_key = lower(${sku}) AND deleted_at IS NULL AND id IS DISTINCT FROM ${id}::uuid`);
  if (other) issues.add('sku', skuTaken(sku).message, 'taken');
}

export function skuTaken(sku: string | undefined) {
  return taken(`The SKU ${sku} is taken.`);
}
