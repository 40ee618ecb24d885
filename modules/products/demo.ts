import { type Ctx, type Demo, type DemoPlan, demoId, fillTable, type Random, sql } from '@chowk/kit';
import { type CatalogueEntry, catalogue } from './demo-catalogue.ts';

const year = 365 * 86_400_000;

/** A catalogue of two hundred products; those whose SKU the tenant has already stay as they are. */
export const demo: Demo = {
  async fill(ctx, plan) {
    const random = plan.random('products');
    const known = await knownSkus(ctx);
    const made = catalogue.map((entry) => makeUp(plan, random, entry));
    const news = made.filter(({ sku }) => !known.has(sku.toLowerCase()));
    await fillTable(
      ctx,
      'products',
      news.map(({ id, sku, title, price, tags, category, stock, at }) => {
        const times = { created_at: at, updated_at: at };
        return {
          id,
          sku,
          title,
          status: 'active',
          price: price / 100,
          tags: `{${tags}}`,
          categories: `{${category}}`,
          stock,
          ...times,
        };
      }),
    );
    await fillTable(
      ctx,
      'stock_movements',
      news.map(({ id, movementId, stock, at }) => {
        return { id: movementId, product_id: id, change: stock, reserved_change: 0, reason: 'initial', at };
      }),
    );
    plan.products.push(...catalogue);
  },
};

function makeUp({ today }: DemoPlan, random: Random, entry: CatalogueEntry) {
  const at = new Date(today - 3 * year - Math.floor(random() * 30) * 86_400_000);
  const ids = { id: demoId(at.getTime(), random), movementId: demoId(at.getTime(), random) };
  const tags = [random() < 0.2 ? 'new' : '', random() < 0.15 ? 'sale' : ''].filter(Boolean).join(',');
  return { ...entry, ...ids, at, tags, stock: 1 + Math.floor(random() ** 2 * 400) };
}

async function knownSkus(ctx: Ctx): Promise<Set<string>> {
  const keys = catalogue.map(({ sku }) => sku.toLowerCase());
  const rows = await ctx.db.rows<{ sku_key: string }>(sql`
    SELECT sku_key FROM products WHERE sku_key = ANY(${keys}) AND deleted_at IS NULL`);
  return new Set(rows.map(({ sku_key }) => sku_key));
}
