import { type Ctx, type Demo, type DemoPlan, demoId, fillTables, type Random, sql } from '@chowk/kit';
import { type CatalogEntry, catalog } from './demo-catalog.ts';

declare module '@chowk/kit/catalogue' {
  interface DemoShares {
    /** Prices are in hundredths. */
    products: readonly { readonly sku: string; readonly title: string; readonly price: number }[];
  }
}

const day = 86_400_000;

/** A catalog of two hundred products; products whose SKU the tenant already has are skipped. */
export const demo: Demo<typeof catalog> = {
  share: () => catalog,
  isEmpty: async (ctx) => (await ctx.db.row(sql`SELECT FROM products LIMIT 1`)) === undefined,
  async fill(ctx, plan) {
    const random = plan.random('products');
    const existing = await existingSkus(ctx);
    const generated = catalog.map((entry) => generateProduct(plan, entry, random));
    const added = generated.filter(({ product }) => !existing.has(product.sku.toLowerCase()));
    await fillTables(ctx, {
      products: added.map(({ product }) => product),
      stock_movements: added.map(({ movement }) => movement),
    });
  },
};

function generateProduct({ today }: DemoPlan, { category, price, ...entry }: CatalogEntry, random: Random) {
  const at = new Date(today - (3 * 365 + Math.floor(random() * 30)) * day);
  const [id, movementId] = [demoId(at.getTime(), random), demoId(at.getTime(), random)];
  const tags = [random() < 0.2 ? 'new' : '', random() < 0.15 ? 'sale' : ''].filter(Boolean);
  const stock = 1 + Math.floor(random() ** 2 * 400);
  const columns = { status: 'active', price: price / 100, tags: `{${tags}}`, categories: `{${category}}`, stock };
  return {
    product: { id, ...entry, ...columns, created_at: at, updated_at: at },
    movement: { id: movementId, product_id: id, change: stock, reserved_change: 0, reason: 'initial', at },
  };
}

async function existingSkus(ctx: Ctx): Promise<Set<string>> {
  const keys = catalog.map(({ sku }) => sku.toLowerCase());
  const rows = await ctx.db.rows<{ sku_key: string }>(sql`
    SELECT sku_key FROM products WHERE sku_key = ANY(${keys}) AND deleted_at IS NULL`);
  return new Set(rows.map(({ sku_key }) => sku_key));
}
