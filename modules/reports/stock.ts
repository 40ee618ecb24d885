import { Answer, type Ctx, pagination } from '@chowk/kit';
import { type StockExport, type StockQuery, type StockReport, StockRow } from './schemas.ts';

const none = { variants: 0, units: 0, value: '0.00', low: 0, out_of_stock: 0 };

export async function reportStock(ctx: Ctx, { page, per_page, ...query }: StockQuery): Promise<StockReport> {
  const { 'general.currency': currency } = await ctx.settings();
  const input = { ...query, offset: (page - 1) * per_page, limit: per_page };
  const found = await ctx.bus.callIfInstalled('products.reportStock', input);
  const { totals, variants, total } = found ?? { totals: none, variants: [], total: 0 };
  return { currency, totals, variants, pagination: pagination({ page, per_page }, total) };
}

export async function exportStock(ctx: Ctx, { format, ...query }: StockExport): Promise<Answer> {
  const fields = Object.keys(StockRow.properties);
  return Answer.download(ctx, { name: 'stock', format, rows: everyVariant(ctx, query), fields });
}

const batchSize = 1_000;

async function* everyVariant(ctx: Ctx, query: Omit<StockExport, 'format'>): AsyncGenerator<object> {
  for (let offset = 0; ; offset += batchSize) {
    const found = await ctx.bus.callIfInstalled('products.reportStock', { ...query, offset, limit: batchSize });
    yield* found?.variants ?? [];
    if ((found?.variants.length ?? 0) < batchSize) return;
  }
}
