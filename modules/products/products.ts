import { isDeepStrictEqual } from 'node:util';
import {
  type Changes,
  type Ctx,
  changesBetween,
  type Failure,
  type Issues,
  pickFields,
  removedFields,
  sql,
} from '@chowk/kit';
import { checkCopy, findCopies, mustNotBeCopy, requireRights } from './catalogue-rules.ts';
import { columns, productColumns } from './columns.ts';
import { fail } from './errors.ts';
import { emitMandatoryChanged } from './events.ts';
import { readImages, removeFiles } from './image-list.ts';
import { checkDecimals, priceProblem } from './price.ts';
import { type Edit, type Fields, insertProducts, saveProducts } from './save.ts';
import {
  NewProduct,
  type Product,
  type ProductChanges,
  type ProductImage,
  type ProductInput,
  type ProductRecord,
  type ProductUpdate,
} from './schemas.ts';
import { addTaken, conflict, whileUnique } from './unique-keys.ts';
import { planVariants, type VariantPlan } from './variant-plan.ts';
import { readVariants } from './variant-save.ts';

type Key = { readonly id: string };

/** By id, slug, or the SKU of one of its variants. */
export async function getProduct(
  ctx: Ctx,
  { id, sku, slug }: { id?: string; sku?: string; slug?: string },
): Promise<Product> {
  const condition = id !== undefined ? sql`p.id = ${id}` : slug !== undefined ? hasSlug(slug) : hasSku(sku);
  const product = await ctx.db.row<Product>(
    sql`SELECT ${productColumns} FROM products p WHERE ${condition} AND p.deleted_at IS NULL`,
  );
  if (!product) throw fail('products.not_found', { key: id ?? slug ?? sku });
  return product;
}

const hasSlug = (slug: string) => sql`(p.slug = ${slug} OR (p.slug IS NULL AND p.id::text = ${slug}))`;
const hasSku = (sku: string | undefined) => sql`p.id = (
  SELECT v.product_id FROM product_variants v WHERE v.sku_key = lower(${sku}) AND v.deleted_at IS NULL)`;

export async function getProducts(ctx: Ctx, keys: readonly Key[]): Promise<(Product | Failure)[]> {
  const ids = keys.map(({ id }) => id);
  const rows = await ctx.db.rows<Product>(sql`
    SELECT ${productColumns} FROM products p WHERE id = ANY(${ids}::uuid[]) AND deleted_at IS NULL`);
  const products = new Map(rows.map((product) => [product.id, product]));
  return ids.map((id) => products.get(id.toLowerCase()) ?? fail('products.not_found', { key: id }));
}

export async function getProductsBySku(
  ctx: Ctx,
  keys: readonly { readonly sku: string }[],
): Promise<(Product | Failure)[]> {
  const skus = keys.map(({ sku }) => sku);
  const rows = await ctx.db.rows<Product & { key: string }>(sql`
    SELECT k.sku AS key, ${productColumns} FROM unnest(${skus}::text[]) AS k (sku)
      JOIN product_variants found ON found.sku_key = lower(k.sku) AND found.deleted_at IS NULL
      JOIN products p ON p.id = found.product_id AND p.deleted_at IS NULL`);
  const products = new Map(rows.map(({ key, ...product }) => [key, product]));
  return skus.map((sku) => products.get(sku) ?? fail('products.not_found', { key: sku }));
}

/** What `checkNewProduct` has read of an input. */
interface CheckedInput {
  readonly images: ProductImage[];
  readonly plan: VariantPlan | undefined;
}

export async function checkNewProduct(ctx: Ctx, input: Partial<ProductInput>, issues: Issues): Promise<CheckedInput> {
  requireRights(ctx, false, input.mandatory);
  checkPrice(input, issues);
  await checkDecimals(ctx, input, issues);
  const images = await readImages(ctx, [], input.images ?? [], issues);
  const plan = planNewVariants(input, images, issues);
  // Only if there are other problems to report; otherwise the insertion checks it.
  if (issues.any) await addTaken(ctx, input, plan, issues);
  return { images, plan };
}

function planNewVariants(
  input: Partial<ProductInput>,
  images: readonly ProductImage[],
  issues: Issues,
): VariantPlan | undefined {
  const { options = [], variants, sku = '', price = '0.00', stock = 0 } = input;
  if (!variants && options.length === 0) return undefined;
  if (stock > 0) issues.add('stock', 'Set the stock of its variants.', 'not_allowed');
  const imageIds = new Set(images.map(({ id }) => id));
  return planVariants(
    { options, variants: variants ?? [], sku, price, imageIds },
    { options: [], variants: [] },
    issues,
  );
}

export async function createProduct(ctx: Ctx, input: ProductInput, { images, plan }: CheckedInput): Promise<Product> {
  const { variants: _, ...sent } = input;
  const own = plan ? { options: plan.options, sku: plan.variants[0]?.sku ?? sent.sku } : {};
  const entry = { fields: { ...sent, images, ...own }, variants: plan?.variants };
  const [product] = await whileUnique(ctx, input, plan, (tx) => insertProducts(tx, [entry]));
  if (!product) throw await conflict(ctx, input, plan);
  return getProduct(ctx, product);
}

export async function checkChanges(
  ctx: Ctx,
  { id, variants: sent, ...changes }: Partial<ProductUpdate>,
  issues: Issues,
): Promise<Edit | undefined> {
  if (id === undefined) return undefined;
  const current = await lockProduct(ctx, id);
  const images = changes.images && { images: await readImages(ctx, current.images, changes.images, issues) };
  const own = { ...pickFields(NewProduct, current), ...changes, ...images } as Fields;
  const variants = await planChanges(ctx, { current, fields: own, sent, issues });
  const fields = variants ? { ...own, ...variants.fields } : own;
  const edit = { current, fields, variants };
  const isCopy = (await findCopies(ctx, [current])).size > 0;
  if (isCopy) checkCopy(edit, issues);
  else requireRights(ctx, current.mandatory, fields.mandatory);
  checkPrice(fields, issues);
  await checkDecimals(ctx, { ...changes, variants: sent }, issues);
  await addTaken(ctx, changedKeys(current, fields), variants?.plan, issues, id);
  return edit;
}

interface VariantChange {
  readonly current: ProductRecord;
  readonly fields: Fields;
  readonly sent: ProductUpdate['variants'];
  readonly issues: Issues;
}

const variantFields = ['sku', 'price', 'compare_at_price', 'stock'] as const;

/** The variants before and after, if they change with the product; prices, SKU and stock of several are set by variant. */
async function planChanges(ctx: Ctx, { current, fields, sent, issues }: VariantChange) {
  const isNew = (name: 'options' | (typeof variantFields)[number]) => !isDeepStrictEqual(fields[name], current[name]);
  if (sent || current.variant_count > 1) {
    for (const name of variantFields.filter(isNew)) {
      issues.add(name, 'The product has variants. Set it in `variants`.', 'not_allowed');
    }
  }
  if (!sent && !isNew('options')) return undefined;
  const variants = await readVariants(ctx, [current.id]);
  const imageIds = new Set(fields.images.map(({ id }) => id));
  const { options, sku, price } = fields;
  const plan = planVariants({ options, variants: sent, sku, price, imageIds }, { ...current, variants }, issues);
  return { current: variants, next: plan.variants, plan, fields: { options: plan.options } };
}

/** The SKU and the slug, if they change. */
function changedKeys(current: ProductRecord, { sku, slug }: Fields): ProductChanges {
  return { ...(sku === current.sku ? {} : { sku }), ...(slug === current.slug ? {} : { slug }) };
}

export async function updateProduct(ctx: Ctx, _input: ProductUpdate, edit: Edit): Promise<Product> {
  const { current, fields } = edit;
  if (fields.stock < current.reserved && fields.stock < current.stock) {
    const { sku, available } = current;
    throw fail('products.insufficient_stock', { sku, available, requested: current.stock - fields.stock });
  }
  ctx.audit(editChanges(edit));
  const plan = edit.variants && { options: fields.options, variants: [...edit.variants.next] };
  const [product] = await whileUnique(ctx, fields, plan, (tx) => saveProducts(tx, [edit]));
  return getProduct(ctx, product as ProductRecord);
}

/** For the audit log. */
export function editChanges({ current, fields, variants }: Edit): Changes {
  const changes = changesBetween<Fields>(current, fields);
  return variants ? { ...changes, variants: [variants.current, variants.next] } : changes;
}

/** Keeps the row with `deleted_at`, without images; the SKUs become free. */
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

/** Every change of a product or its variants locks the product first. */
export async function lockProduct(ctx: Ctx, id: string): Promise<ProductRecord> {
  const product = await ctx.db.row<ProductRecord>(
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

function checkPrice(fields: ProductChanges, issues: Issues): void {
  const problem = priceProblem(fields);
  if (problem) issues.add('compare_at_price', problem);
}
