import { type Ctx, extend, NamedObject, pickFields, type Static, sql, Type, Uuid } from '@chowk/kit';
import { columns } from './columns.ts';
import { mergeImages } from './image-list.ts';
import { type Edit, type Fields, insertProducts, saveProducts } from './save.ts';
import { NewProduct, type ProductImage, type ProductRecord } from './schemas.ts';
import { findTakenSkus, type VariantState } from './variant-plan.ts';
import { readVariants } from './variant-save.ts';
import { type Variant, VariantFields } from './variant-schemas.ts';

const { stock: _, mandatory: __, slug: ___, external_ids: ____, ...copied } = NewProduct.properties;
const Copied = Type.Object(copied);
const { image_id: _____, external_ids: ______, ...copiedOfVariant } = VariantFields.properties;
const CopiedVariant = extend(NamedObject('MandatoryVariant', copiedOfVariant), { title: Type.String() });
export const MandatoryProduct = extend(NamedObject('MandatoryProduct', copied), {
  id: Uuid,
  variants: Type.Optional(Type.Array(CopiedVariant)),
});
export type MandatoryProduct = Static<typeof MandatoryProduct>;

/** The products that tenants of this reseller must have. */
export async function listMandatory(ctx: Ctx): Promise<MandatoryProduct[]> {
  const products = await ctx.db.rows<ProductRecord>(sql`
    SELECT ${columns} FROM products p WHERE mandatory AND deleted_at IS NULL ORDER BY p.id`);
  const ids = products.map(({ id }) => id);
  const variants = Map.groupBy(await readVariants(ctx, ids), ({ product_id }) => product_id);
  return products.map((product) => {
    const own = (variants.get(product.id) ?? []).map((variant) => pickFields(CopiedVariant, variant));
    return { id: product.id, ...pickFields(Copied, product), variants: own } as MandatoryProduct;
  });
}

/**
 * Makes the copies of a reseller's products equal to them, except for the stock, and adds those that are missing. A copy of a
 * product that is no longer mandatory stays, as a product of its own.
 */
export async function copyMandatory(ctx: Ctx, { products }: { products: readonly MandatoryProduct[] }): Promise<void> {
  await ctx.tx(async (tx) => {
    const rows = await tx.db.rows<ProductRecord & { source_id: string }>(sql`
      SELECT ${columns}, p.source_id FROM products p WHERE source_id IS NOT NULL AND deleted_at IS NULL ORDER BY id FOR UPDATE`);
    const sources = new Map(products.map((product) => [product.id, product]));
    const ids = rows.map(({ id }) => id);
    const variants = Map.groupBy(await readVariants(tx, ids), ({ product_id }) => product_id);
    const edits = rows.map(({ source_id, ...current }) => ({
      current,
      own: variants.get(current.id) ?? [],
      source: sources.get(source_id),
    }));
    const known = new Map(rows.map(({ source_id, id }) => [source_id, variants.get(id) ?? []]));
    const skus = await freeSkus(tx, products, known);
    await saveProducts(
      tx,
      edits.map((edit) => copyEdit(tx, edit, skus)),
    );
    await insertCopies(
      tx,
      products.filter(({ id }) => !known.has(id)),
      skus,
    );
  });
}

type Skus = ReadonlyMap<string, readonly string[]>;

interface Copy {
  readonly current: ProductRecord;
  readonly own: readonly Variant[];
  readonly source: MandatoryProduct | undefined;
}

function copyEdit(ctx: Ctx, { current, own, source }: Copy, skus: Skus): Edit {
  const fields = pickFields(NewProduct, current) as Fields;
  if (!source) return { current, fields: { ...fields, mandatory: false } };
  const next = copiedVariants(source, skus.get(source.id) ?? []).map((variant, index) => keepOwn(variant, own, index));
  const kept = { sku: current.sku, price: current.price, compare_at_price: current.compare_at_price };
  const changes = { ...copiedFields(ctx, source, current.images), ...kept, mandatory: true };
  return { current, fields: { ...fields, ...changes }, variants: { current: [...own], next } };
}

/** The copy of a variant with the same options, or with the same position, keeps its stock and its ids. */
function keepOwn(variant: VariantState, own: readonly Variant[], index: number): VariantState {
  const same =
    own.find(({ title }) => title === variant.title) ?? (own.length === 1 && index === 0 ? own[0] : undefined);
  if (!same) return variant;
  const { id, stock, image_id, external_ids } = same;
  return { ...variant, id, stock, image_id, external_ids };
}

async function insertCopies(ctx: Ctx, products: readonly MandatoryProduct[], skus: Skus): Promise<void> {
  const sourceIds = new Map(products.map(({ id, sku }) => [skus.get(id)?.[0] ?? sku, id]));
  const inserted = await insertProducts(
    ctx,
    products.map((source) => {
      const variants = copiedVariants(source, skus.get(source.id) ?? []);
      const own = { sku: variants[0]?.sku ?? source.sku, mandatory: true, stock: 0, external_ids: {} };
      return { fields: { ...copiedFields(ctx, source, []), ...own }, variants };
    }),
  );
  const ids = inserted.map(({ id }) => id);
  const sources = inserted.map(({ sku }) => sourceIds.get(sku));
  await ctx.db.run(sql`
    UPDATE products p SET source_id = c.source_id FROM unnest(${ids}::uuid[], ${sources}::uuid[]) AS c (id, source_id)
    WHERE p.id = c.id`);
}

type CopiedFields = Omit<Fields, 'stock' | 'mandatory' | 'slug' | 'external_ids'>;

function copiedFields(ctx: Ctx, source: MandatoryProduct, images: readonly ProductImage[]): CopiedFields {
  const sent = source.images.map(({ url, alt }) => ({ url, alt }));
  return { ...pickFields(Copied, source), images: mergeImages(ctx, images, sent as never) } as CopiedFields;
}

/** An older server sends no variants. */
function copiedVariants(source: MandatoryProduct, skus: readonly string[]): VariantState[] {
  const { sku, price, compare_at_price } = source;
  const only = {
    title: '',
    options: {},
    metadata: {},
    sku,
    price,
    compare_at_price,
    barcode: null,
    weight_grams: null,
  };
  const variants = source.variants ?? [
    { ...only, continue_selling: false, taxable: true, tax_class: 'standard', tax_code: null },
  ];
  return variants.map((variant, index) => ({
    ...variant,
    sku: skus[index] ?? variant.sku,
    image_id: null,
    external_ids: {},
    stock: 0,
  }));
}

/** The SKUs of the variants of each copy: those of its source or, if another product has one, with a suffix. */
async function freeSkus(
  ctx: Ctx,
  products: readonly MandatoryProduct[],
  known: ReadonlyMap<string, readonly Variant[]>,
): Promise<Map<string, string[]>> {
  const wanted = products.map(({ id, sku, variants }) => ({ id, skus: variants?.map((one) => one.sku) ?? [sku] }));
  const candidates = wanted.flatMap(({ skus }) => skus.flatMap((sku) => [sku, ...suffixes(sku)]));
  const taken = new Set(await findTakenSkus(ctx, candidates));
  const free = new Map<string, string[]>();
  for (const { id, skus } of wanted) {
    const own = new Set(known.get(id)?.map(({ sku }) => sku.toLowerCase()));
    const isFree = (sku: string) => own.has(sku.toLowerCase()) || !taken.has(sku.toLowerCase());
    const chosen = skus.map((sku) => {
      const one = [sku, ...suffixes(sku)].find(isFree) ?? sku;
      own.delete(one.toLowerCase());
      taken.add(one.toLowerCase());
      return one;
    });
    free.set(id, chosen);
  }
  return free;
}

function suffixes(sku: string): string[] {
  return Array.from({ length: 9 }, (_, index) => `${sku.slice(0, 60)}-${index + 2}`);
}
