import { action, type Ctx, extend, invalid, named, type Static, sql, type TSchema, Type } from '@chowk/kit';
import { fail } from './errors.ts';
import { resolveLocation } from './locations.ts';
import { ProductItem } from './schemas.ts';
import { StockChange } from './stock-schemas.ts';
import { Stock, VariantFields } from './variant-schemas.ts';

const { sku, price, compare_at_price } = VariantFields.properties;
const { id: _, change, ...stockFields } = StockChange.properties;

const StockItem = named(
  'StockItem',
  extend(Type.Object(stockFields), {
    sku,
    change: Type.Optional({ ...change, description: 'The number of units to add; a negative number removes units.' }),
    stock: Type.Optional({ ...Stock, description: 'The units at the location afterwards, instead of `change`.' }),
  }),
);
const PriceItem = named(
  'PriceItem',
  Type.Object({ sku, price: Type.Optional(price), compare_at_price: Type.Optional(compare_at_price) }),
);

export const bulkActions = {
  'products.writeMany': action.bulk({
    summary: 'Create and update many products',
    description:
      'Up to 1,000 items. Each follows the rules of a request of its own: `POST`, `PATCH` if it has an id, or `PUT` by the ' +
      'field that `match` names.',
    http: 'POST /products/bulk',
    needs: ['products.create', 'products.edit'],
    item: ProductItem,
    create: 'products.create',
    update: 'products.update',
    upsert: { sku: 'products.upsertBySku', external_ids: 'products.upsertByExternalId' },
  }),
  'products.changeStocks': action.bulk({
    summary: 'Change the stock of many variants by SKU',
    description:
      'Up to 1,000 items. Each adds or removes units (`change`), or says how many units are at the location (`stock`), and ' +
      'leaves a stock movement with its `reason`.',
    http: 'POST /products/stock/bulk',
    needs: 'products.edit',
    item: StockItem,
    plan: planStock,
  }),
  'products.changePrices': action.bulk({
    summary: 'Change the prices of many variants by SKU',
    description: 'Up to 1,000 items. Fields that are not sent do not change.',
    http: 'POST /products/prices/bulk',
    needs: 'products.edit',
    item: PriceItem,
    plan: planPrice,
  }),
};

type Item = Readonly<Record<string, unknown>>;

async function planStock(ctx: Ctx, item: Item) {
  const { sku, stock, change, ...rest } = read(ctx, StockItem, item);
  if ((stock === undefined) === (change === undefined)) {
    throw invalid({ change: { code: 'required', message: 'Send either change or stock.' } });
  }
  const { id } = await lockVariant(ctx, sku);
  const difference = change ?? Number(stock) - (await countUnits(ctx, id, rest.location_id));
  if (difference === 0) return { id };
  return { action: 'products.changeVariantStock', input: { ...rest, id, change: difference } };
}

async function planPrice(ctx: Ctx, item: Item) {
  const { sku, ...prices } = read(ctx, PriceItem, item);
  const { id, product_id } = await lockVariant(ctx, sku);
  return { action: 'products.updateVariant', input: { ...prices, id: product_id, variant: id } };
}

function read<Schema extends TSchema>(ctx: Ctx, schema: Schema, item: Item): Static<Schema> {
  const fields = structuredClone(item);
  const errors = ctx.check(schema, fields);
  if (errors) throw invalid(errors);
  return fields as Static<Schema>;
}

interface Found {
  readonly id: string;
  readonly product_id: string;
}

/** Locks the product of the variant, as every change of it does. */
async function lockVariant(ctx: Ctx, sku: string): Promise<Found> {
  const variant = await ctx.db.row<Found>(sql`
    SELECT id, product_id FROM product_variants WHERE sku_key = lower(${sku}) AND deleted_at IS NULL`);
  if (!variant) throw fail('products.variant_not_found', { key: sku });
  await ctx.db.run(sql`SELECT FROM products WHERE id = ${variant.product_id} FOR UPDATE`);
  return variant;
}

/** The units at a location; the default one has what is at no other one. */
async function countUnits(ctx: Ctx, id: string, location: string | undefined): Promise<number> {
  const locationId = (await resolveLocation(ctx, location)) ?? null;
  const row = await ctx.db.row<{ units: number }>(sql`
    SELECT CASE WHEN ${locationId}::uuid IS NULL THEN v.stock - coalesce(sum(l.stock), 0)
      ELSE coalesce(sum(l.stock) FILTER (WHERE l.location_id = ${locationId}::uuid), 0) END::integer AS units
    FROM product_variants v LEFT JOIN stock_levels l ON l.variant_id = v.id WHERE v.id = ${id} GROUP BY v.id`);
  return row?.units ?? 0;
}
