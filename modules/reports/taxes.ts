import { Answer, type Ctx, columnsFor, sql } from '@chowk/kit';
import { refreshPeriod } from './daily-figures.ts';
import { type Period, readPeriod } from './period.ts';
import { listOtherCurrencies } from './sales.ts';
import { type PeriodInput, type TaxExport, type TaxReport, TaxRow } from './schemas.ts';

export async function reportTaxes(ctx: Ctx, query: PeriodInput): Promise<TaxReport> {
  const period = await readPeriod(ctx, query);
  await refreshPeriod(ctx, period);
  const [taxes, other_currencies] = await Promise.all([sumTaxes(ctx, period), listOtherCurrencies(ctx, period)]);
  const [totals, rows] = [taxes.find(isTotal) as TaxRow & Grouped, taxes.filter((row) => !isTotal(row))];
  const { tax, refunded_tax, net_tax } = totals;
  return { ...period, other_currencies, totals: { tax, refunded_tax, net_tax }, taxes: rows.map(withoutGroup) };
}

export async function exportTaxes(ctx: Ctx, { format, ...query }: TaxExport): Promise<Answer> {
  const { taxes } = await reportTaxes(ctx, query);
  const fields = Object.keys(TaxRow.properties);
  return Answer.download(ctx, { name: 'taxes', format, rows: each(taxes), fields });
}

async function* each<Row>(rows: readonly Row[]): AsyncGenerator<Row> {
  yield* rows;
}

interface Grouped {
  readonly is_total: boolean;
}
const isTotal = ({ is_total }: Grouped) => is_total;
const withoutGroup = ({ is_total: _, ...row }: TaxRow & Grouped): TaxRow => row;

/** Each tax, and all together. */
function sumTaxes(ctx: Ctx, { from, to, currency }: Period): Promise<(TaxRow & Grouped)[]> {
  return ctx.db.rows<TaxRow & Grouped>(sql`
    SELECT ${columnsFor(TaxRow, sql`s`)}, s.is_total FROM (
      SELECT coalesce(max(f.name), '') AS name, CASE WHEN grouping(f.key) = 0 THEN max(f.detail) END AS rate,
        coalesce(sum(f.orders), 0)::integer AS orders, coalesce(sum(f.taxable), 0) AS taxable, coalesce(sum(f.taxes), 0) AS tax,
        coalesce(sum(f.refunded), 0) AS refunded_tax, coalesce(sum(f.taxes - f.refunded), 0) AS net_tax, grouping(f.key) = 1 AS is_total, f.key
      FROM daily_figures f
      WHERE f.kind = 'tax' AND f.currency = ${currency} AND f.day BETWEEN ${from}::date AND ${to}::date
      GROUP BY GROUPING SETS ((f.key), ())) s
    ORDER BY s.name, s.rate::numeric NULLS LAST, s.key`);
}
