import { type Ctx, type Demo, type DemoPlan, demoId, fillTables, type Random, slugify, sql } from '@chowk/kit';
import { type CatalogProduct, type CatalogVariant, catalog, catalogProducts } from './demo-catalog.ts';

declare module '@chowk/kit/catalogue' {
  interface DemoShares {
    /** The variants. Prices are in hundredths. */
    products: readonly { readonly sku: string; readonly title: string; readonly price: number }[];
  }
}

const day = 86_400_000;

/** Forty products with five variants each, and collections; products of which the tenant has a SKU are skipped. */
export const demo: Demo<typeof catalog> = {
  share: () => catalog,
  isEmpty: async (ctx) => (await ctx.db.row(sql`SELECT FROM products LIMIT 1`)) === undefined,
  async fill(ctx, plan) {
    const random = plan.random('products');
    const existing = await findExisting(ctx);
    const generated = catalogProducts.map((entry) => generateProduct(plan, entry, random));
    const added = generated.filter(({ variants }) => !variants.some(({ sku }) => existing.has(sku.toLowerCase())));
    await fillTables(ctx, {
      products: added.map(({ product }) => ({
        ...product,
        slug: existing.has(product.slug) ? product.id : product.slug,
      })),
      product_variants: added.flatMap(({ variants }) => variants),
      stock_movements: added.flatMap(({ movements }) => movements),
      collections: generateCollections(plan).filter(({ slug }) => !existing.has(slug)),
    });
  },
};

function generateProduct({ today }: DemoPlan, entry: CatalogProduct, random: Random) {
  const at = new Date(today - (3 * 365 + Math.floor(random() * 30)) * day);
  const id = demoId(at.getTime(), random);
  const tags = [random() < 0.2 ? 'new' : '', random() < 0.15 ? 'sale' : ''].filter(Boolean);
  const { title, category, option } = entry;
  const variants = entry.variants.map((variant, index) => generateVariant(variant, { id, at, option, index }, random));
  const { sku, price } = variants[0] as (typeof variants)[0];
  const options = JSON.stringify([{ name: option, values: entry.variants.map(({ value }) => value) }]);
  const columns = { status: 'active', sku, price, tags: `{${tags}}`, categories: `{${category}}`, options };
  return {
    // The variants follow.
    product: { id, title, slug: slugify(title), ...columns, variant_count: 0, created_at: at, updated_at: at },
    variants,
    movements: variants.map(({ id: variant_id, stock: change }) => {
      return {
        id: demoId(at.getTime(), random),
        product_id: id,
        variant_id,
        change,
        reserved_change: 0,
        reason: 'initial',
        at,
      };
    }),
  };
}

interface Place {
  readonly id: string;
  readonly at: Date;
  readonly option: string;
  readonly index: number;
}

function generateVariant(variant: CatalogVariant, { id, at, option, index }: Place, random: Random) {
  const { sku, value, price, weight } = variant;
  return {
    id: demoId(at.getTime(), random),
    product_id: id,
    position: index + 1,
    title: value,
    options: JSON.stringify({ [option]: value }),
    sku,
    price: (price / 100).toFixed(2),
    weight_grams: weight,
    stock: 1 + Math.floor(random() ** 2 * 400),
    created_at: at,
    updated_at: at,
  };
}

const collections = [
  {
    title: 'Tea and coffee',
    match: 'any',
    conditions: [
      ['category', 'Tea'],
      ['category', 'Coffee'],
    ],
  },
  { title: 'Gifts', match: 'all', conditions: [['category', 'Gifts']] },
  { title: 'Sale', match: 'all', conditions: [['tag', 'sale']] },
] as const;

function generateCollections({ today, random: stream }: DemoPlan) {
  const random = stream('collections');
  const at = new Date(today - 365 * day);
  return collections.map(({ title, match, conditions }) => {
    const rule = { match, conditions: conditions.map(([field, value]) => ({ field, operator: 'is', value })) };
    const columns = { title, slug: slugify(title), rule: JSON.stringify(rule), created_at: at, updated_at: at };
    return { id: demoId(at.getTime(), random), ...columns };
  });
}

/** SKUs and slugs that the tenant has, in lower case. */
async function findExisting(ctx: Ctx): Promise<Set<string>> {
  const skus = catalog.map(({ sku }) => sku.toLowerCase());
  const rows = await ctx.db.rows<{ key: string }>(sql`
    SELECT sku_key AS key FROM product_variants WHERE sku_key = ANY(${skus}) AND deleted_at IS NULL
    UNION ALL SELECT slug FROM products WHERE slug IS NOT NULL AND deleted_at IS NULL
    UNION ALL SELECT slug FROM collections`);
  return new Set(rows.map(({ key }) => key));
}
