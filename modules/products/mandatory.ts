import { type Ctx, extend, NamedObject, pickFields, type Static, sql, Type, Uuid } from '@chowk/kit';
import { columns } from './columns.ts';
import { mergeImages } from './image-list.ts';
import { type Fields, insertProducts, saveProducts } from './save.ts';
import { NewProduct, type Product, type ProductImage } from './schemas.ts';

const { stock: _, mandatory: __, ...copied } = NewProduct.properties;
const Copied = Type.Object(copied);
export const MandatoryProduct = extend(NamedObject('MandatoryProduct', copied), { id: Uuid });
export type MandatoryProduct = Static<typeof MandatoryProduct>;

/** The products that tenants of this reseller must have. */
export async function listMandatory(ctx: Ctx): Promise<MandatoryProduct[]> {
  const products = await ctx.db.rows<Product>(sql`
    SELECT ${columns} FROM products p WHERE mandatory AND deleted_at IS NULL ORDER BY p.id`);
  return products.map((product) => ({ id: product.id, ...pickFields(Copied, product) }) as MandatoryProduct);
}

/**
 * Makes the copies of a reseller's products equal to them, except for the stock, and adds those that are missing. A copy of a
 * product that is no longer mandatory stays, as a product of its own.
 */
export async function copyMandatory(ctx: Ctx, { products }: { products: readonly MandatoryProduct[] }): Promise<void> {
  await ctx.tx(async (tx) => {
    const rows = await tx.db.rows<Product & { source_id: string }>(sql`
      SELECT ${columns}, p.source_id FROM products p WHERE source_id IS NOT NULL AND deleted_at IS NULL ORDER BY id FOR UPDATE`);
    const sources = new Map(products.map((product) => [product.id, product]));
    const skus = await freeSkus(tx, products);
    await saveProducts(
      tx,
      rows.map(({ source_id, ...current }) => ({
        current,
        fields: updatedFields(tx, current, sources.get(source_id), skus),
      })),
    );
    const known = new Set(rows.map(({ source_id }) => source_id));
    await insertCopies(
      tx,
      products.filter(({ id }) => !known.has(id)),
      skus,
    );
  });
}

function updatedFields(
  ctx: Ctx,
  current: Product,
  source: MandatoryProduct | undefined,
  skus: ReadonlyMap<string, string>,
): Fields {
  const own = pickFields(NewProduct, current) as Fields;
  if (!source) return { ...own, mandatory: false };
  return { ...own, ...copiedFields(ctx, source, current.images, skus), mandatory: true };
}

async function insertCopies(
  ctx: Ctx,
  products: readonly MandatoryProduct[],
  skus: ReadonlyMap<string, string>,
): Promise<void> {
  const sourceIds = new Map(products.map(({ id, sku }) => [skus.get(id) ?? sku, id]));
  const inserted = await insertProducts(
    ctx,
    products.map((source) => ({ ...copiedFields(ctx, source, [], skus), mandatory: true, stock: 0 })),
  );
  const ids = inserted.map(({ id }) => id);
  const sources = inserted.map(({ sku }) => sourceIds.get(sku));
  await ctx.db.run(sql`
    UPDATE products p SET source_id = c.source_id FROM unnest(${ids}::uuid[], ${sources}::uuid[]) AS c (id, source_id)
    WHERE p.id = c.id`);
}

function copiedFields(
  ctx: Ctx,
  source: MandatoryProduct,
  images: readonly ProductImage[],
  skus: ReadonlyMap<string, string>,
): Omit<Fields, 'stock' | 'mandatory'> {
  const fields = pickFields(Copied, source);
  const sku = skus.get(source.id) ?? source.sku;
  return { ...fields, sku, images: mergeImages(ctx, images, source.images) } as Omit<Fields, 'stock' | 'mandatory'>;
}

/** The SKU of each copy: that of its source or, if another product has it, with a suffix. */
async function freeSkus(ctx: Ctx, products: readonly MandatoryProduct[]): Promise<Map<string, string>> {
  const candidates = products.flatMap(({ id, sku }) => [sku, ...suffixes(sku)].map((one) => ({ id, sku: one })));
  const rows = await ctx.db.rows<{ sku: string; source_id: string | null }>(sql`
    SELECT sku_key AS sku, source_id FROM products
    WHERE deleted_at IS NULL AND sku_key = ANY(${candidates.map(({ sku }) => sku.toLowerCase())}::text[])`);
  const holders = new Map(rows.map(({ sku, source_id }) => [sku, source_id]));
  const free = new Map<string, string>();
  for (const { id, sku } of candidates) {
    const key = sku.toLowerCase();
    if (free.has(id) || (holders.has(key) && holders.get(key) !== id)) continue;
    free.set(id, sku);
    holders.set(key, id);
  }
  return free;
}

function suffixes(sku: string): string[] {
  return Array.from({ length: 9 }, (_, index) => `${sku.slice(0, 60)}-${index + 2}`);
}
