import {
  byNumber,
  byText,
  byTime,
  type Ctx,
  equals,
  type Failure,
  filter,
  Issues,
  invalid,
  list,
  pickFields,
  splitList,
  sql,
  Type,
  Uuid,
} from '@chowk/kit';
import { checkCopy, findCopies } from './catalogue-rules.ts';
import { variantColumns } from './columns.ts';
import { fail } from './errors.ts';
import { externalIdFilter } from './external-ids.ts';
import { hasSku, metadataFilter, Skus } from './key-filters.ts';
import { checkDecimals } from './price.ts';
import { editChanges, lockProduct } from './products.ts';
import { type Edit, type Fields, saveProducts } from './save.ts';
import { NewProduct, type ProductRecord } from './schemas.ts';
import type { StockLevel } from './stock-schemas.ts';
import { addTaken, whileUnique } from './unique-keys.ts';
import { planVariants } from './variant-plan.ts';
import { readVariants } from './variant-save.ts';
import { maxVariants, type NewVariant, type SentVariant, Variant, type VariantChanges } from './variant-schemas.ts';

const Ids = Type.Array(Type.String({ maxLength: 2_000 }), { maxItems: 50, description: 'Separated by commas.' });
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const variantList = list({
  name: 'variants',
  row: Variant,
  from: sql`product_variants v`,
  alias: sql`v`,
  where: sql`v.deleted_at IS NULL`,
  columns: variantColumns,
  filters: {
    product: equals(Uuid, sql`v.product_id`),
    sku: filter(Type.String({ maxLength: 64 }), (sku) => sql`v.sku_key = lower(${sku})`),
    skus: filter(Skus, hasSku),
    metadata: metadataFilter(sql`v.metadata`),
    barcode: equals(Type.String({ maxLength: 100 }), sql`v.barcode`),
    ids: filter(Ids, (texts) => {
      const ids = splitList(texts);
      const wrong = ids.find((id) => !uuid.test(id));
      if (wrong !== undefined) throw invalid({ ids: `${wrong} is not the id of a variant.` });
      return sql`v.id = ANY(${ids}::uuid[])`;
    }),
    in_stock: filter(Type.Boolean(), (value) => sql`(v.stock > v.reserved) = ${value}`),
    low_stock: filter(
      Type.Boolean({ description: 'Whether `products.low_stock_threshold` units or fewer are available.' }),
      async (value, ctx) => {
        const { 'products.low_stock_threshold': threshold } = await ctx.settings();
        return sql`(v.stock - v.reserved <= ${threshold}) = ${value}`;
      },
    ),
    external_id: externalIdFilter('variant', sql`v.id`),
  },
  sorts: {
    created_at: byTime(sql`v.created_at`),
    sku: byText(sql`v.sku_key`),
    price: byNumber(sql`v.price`),
    stock: byNumber(sql`v.stock`),
  },
});

type Key = { readonly id: string };

export async function getVariant(ctx: Ctx, { id }: Key): Promise<Variant> {
  const [variant] = await getVariants(ctx, [{ id }]);
  if (variant && 'sku' in variant) return variant;
  throw variant;
}

export async function getVariants(ctx: Ctx, keys: readonly Key[]): Promise<(Variant | Failure)[]> {
  const ids = keys.map(({ id }) => id);
  const rows = await ctx.db.rows<Variant>(sql`
    SELECT ${variantColumns} FROM product_variants v
    WHERE v.id = ANY(${ids}::uuid[]) AND v.deleted_at IS NULL`);
  const variants = new Map(rows.map((variant) => [variant.id, variant]));
  return ids.map((id) => variants.get(id.toLowerCase()) ?? fail('products.variant_not_found', { key: id }));
}

/** The units of a variant at each location. */
export async function listLevels(ctx: Ctx, { id }: Key): Promise<{ levels: StockLevel[] }> {
  const { stock } = await getVariant(ctx, { id });
  const levels = await ctx.db.rows<StockLevel & { is_default: boolean }>(sql`
    SELECT l.id AS location_id, l.name, l.is_default, coalesce(s.stock, 0) AS stock
    FROM stock_locations l LEFT JOIN stock_levels s ON s.location_id = l.id AND s.variant_id = ${id}
    WHERE l.deleted_at IS NULL ORDER BY l.is_default DESC, l.name`);
  const elsewhere = levels.reduce((sum, level) => sum + level.stock, 0);
  return {
    levels: levels.map(({ is_default, ...level }) => (is_default ? { ...level, stock: stock - elsewhere } : level)),
  };
}

export function addVariant(ctx: Ctx, { id, ...variant }: NewVariant & Key): Promise<Variant> {
  return changeVariants(ctx, id, (variants) => [...variants, variant]).then((list) => list.at(-1) as Variant);
}

export async function updateVariant(ctx: Ctx, { id, variant: key, ...changes }: VariantChanges): Promise<Variant> {
  const list = await changeVariants(ctx, id, (variants) => {
    requireVariant(variants, key);
    return variants.map((one) => (one.id === key ? { id: key, ...changes } : one));
  });
  return list.find((one) => one.id === key) as Variant;
}

export async function deleteVariant(ctx: Ctx, { id, variant: key }: Key & { variant: string }): Promise<void> {
  await changeVariants(ctx, id, (variants) => {
    requireVariant(variants, key);
    if (variants.length === 1) throw fail('products.last_variant');
    return variants.filter((one) => one.id !== key);
  });
}

function requireVariant(variants: readonly { readonly id: string }[], id: string): void {
  if (!variants.some((one) => one.id === id)) throw fail('products.variant_not_found', { key: id });
}

/** Replaces the variants of a product, of which those that only have an id stay as they are. */
function changeVariants(
  ctx: Ctx,
  id: string,
  change: (variants: readonly { readonly id: string }[]) => readonly SentVariant[],
): Promise<Variant[]> {
  return ctx.tx(async (tx) => {
    const current = await lockProduct(tx, id);
    const variants = await readVariants(tx, [id]);
    const sent = change(variants.map((variant) => ({ id: variant.id })));
    const issues = new Issues();
    if (sent.length > maxVariants) issues.add('sku', `A product has at most ${maxVariants} variants.`, 'too_many');
    await checkDecimals(tx, { variants: sent }, issues);
    const edit = planEdit(current, variants, sent, issues);
    const index = sent.findIndex((one) => Object.keys(one).length !== 1 || !('id' in one));
    if ((await findCopies(tx, [current])).size > 0) checkCopy(edit, issues);
    await addTaken(tx, {}, { options: edit.fields.options, variants: [...(edit.variants?.next ?? [])] }, issues, id);
    withoutPrefix(issues, `variants.${index}.`).throwIfAny();
    tx.audit(editChanges(edit));
    await whileUnique(tx, {}, undefined, (inner) => saveProducts(inner, [edit]));
    return readVariants(tx, [id]);
  });
}

function planEdit(current: ProductRecord, variants: Variant[], sent: readonly SentVariant[], issues: Issues): Edit {
  const { options, sku, price, images } = current;
  const imageIds = new Set(images.map((image) => image.id));
  const plan = planVariants({ options, variants: sent, sku, price, imageIds }, { options, variants }, issues);
  const fields = { ...pickFields(NewProduct, current), options: plan.options } as Fields;
  return { current, fields, variants: { current: variants, next: plan.variants } };
}

/** The problems of the variant that was sent, by its own fields. */
function withoutPrefix(issues: Issues, prefix: string): Issues {
  const own = new Issues();
  const entries = Object.entries(issues.errors);
  own.addAll(Object.fromEntries(entries.map(([name, list]) => [name.replace(prefix, ''), list])));
  return own;
}
