import { Answer, type Ctx, columnsFor, pagination, raw, type Sql, sql } from '@chowk/kit';
import { refreshPeriod } from './daily-figures.ts';
import { type Period, readPeriod } from './period.ts';
import { type SalesExport, type SalesQuery, type SalesReport, SalesRow, SalesSums } from './schemas.ts';

const times = new Set(['day', 'week', 'month']);
const isByTime = (group: string) => times.has(group);

export async function reportSales(ctx: Ctx, query: SalesQuery): Promise<SalesReport> {
  const period = await readPeriod(ctx, query);
  await refreshPeriod(ctx, period);
  const { group_by, page, per_page } = query;
  const isPaged = !isByTime(group_by) && group_by !== 'segment';
  const [totals, other_currencies, rows, count] = await Promise.all([
    sumAll(ctx, period),
    listOtherCurrencies(ctx, period),
    group_by === 'segment'
      ? sumSegments(ctx, period)
      : ctx.db.rows<SalesRow>(sql`${selectRows(period, query)} ${isPaged ? limitTo(query) : sql``}`),
    isPaged ? countRows(ctx, period, group_by) : 0,
  ]);
  const shown = isPaged
    ? pagination({ page, per_page }, count)
    : pagination({ page: 1, per_page: Math.max(1, rows.length) }, rows.length);
  return { group_by, ...period, other_currencies, totals, rows, pagination: shown };
}

export async function exportSales(ctx: Ctx, { format, ...query }: SalesExport): Promise<Answer> {
  const period = await readPeriod(ctx, query);
  await refreshPeriod(ctx, period);
  const rows =
    query.group_by === 'segment' ? sumSegments(ctx, period) : ctx.db.stream<SalesRow>(selectRows(period, query));
  return Answer.download(ctx, {
    name: `sales-by-${query.group_by}`,
    format,
    rows: inTurn(rows),
    fields: Object.keys(SalesRow.properties),
    columns: isByTime(query.group_by) ? { name: null, code: null } : {},
  });
}

async function* inTurn(rows: AsyncIterable<SalesRow> | Promise<SalesRow[]>): AsyncGenerator<SalesRow> {
  yield* await rows;
}

const isIn = ({ from, to, currency }: Period) =>
  sql`f.currency = ${currency} AND f.day BETWEEN ${from}::date AND ${to}::date`;

const sums = sql`coalesce(sum(f.orders), 0)::integer AS orders, coalesce(sum(f.units), 0)::bigint AS units,
  coalesce(sum(f.revenue), 0) AS revenue, coalesce(sum(f.discounts), 0) AS discounts, coalesce(sum(f.refunded), 0) AS refunded,
  coalesce(sum(f.taxes), 0) AS taxes, coalesce(sum(f.shipping), 0) AS shipping, coalesce(sum(f.net_revenue), 0) AS net_revenue`;

async function sumAll(ctx: Ctx, period: Period): Promise<SalesSums> {
  return (await ctx.db.row<SalesSums>(sql`
    SELECT ${columnsFor(SalesSums, sql`s`)}
    FROM (SELECT ${sums} FROM daily_figures f WHERE f.kind = 'day' AND ${isIn(period)}) s`)) as SalesSums;
}

export async function listOtherCurrencies(ctx: Ctx, { from, to, currency }: Period): Promise<string[]> {
  const rows = await ctx.db.rows<{ currency: string }>(sql`
    SELECT DISTINCT currency FROM daily_figures
    WHERE kind = 'day' AND day BETWEEN ${from}::date AND ${to}::date AND currency <> ${currency} ORDER BY 1`);
  return rows.map((row) => row.currency);
}

type Ordered = Pick<SalesQuery, 'group_by' | 'sort_by' | 'sort_order'>;

function selectRows(period: Period, { group_by, sort_by, sort_order }: Ordered): Sql {
  if (isByTime(group_by)) return selectTimes(period, group_by);
  // The name is that of the latest day.
  return sql`
    SELECT ${columnsFor(SalesRow, sql`s`)} FROM (
      SELECT s.*, latest.name, latest.detail AS code
      FROM (
        SELECT f.key, max(f.day) AS day, ${sums} FROM daily_figures f WHERE f.kind = ${group_by} AND ${isIn(period)} GROUP BY f.key) s
      JOIN daily_figures latest
        ON latest.kind = ${group_by} AND latest.currency = ${period.currency} AND latest.day = s.day AND latest.key = s.key) s
    ORDER BY s.${raw(sort_by)} ${raw(sort_order)}, s.key`;
}

/** Every day, week or month, also those without orders. Weeks begin on Monday. */
function selectTimes(period: Period, unit: string): Sql {
  const start = (day: Sql) => sql`date_trunc(${unit}, ${day}::timestamp)`;
  return sql`
    SELECT ${columnsFor(SalesRow, sql`s`)} FROM (
      SELECT to_char(start, 'YYYY-MM-DD') AS key, '' AS name, NULL::text AS code, ${sums}
      FROM generate_series(${start(sql`${period.from}::date`)}, ${period.to}::date::timestamp, ${`1 ${unit}`}::interval) start
      LEFT JOIN daily_figures f ON f.kind = 'day' AND ${isIn(period)} AND ${start(sql`f.day`)} = start
      GROUP BY start) s
    ORDER BY s.key`;
}

const limitTo = ({ page, per_page }: SalesQuery) => sql`LIMIT ${per_page} OFFSET ${(page - 1) * per_page}`;

async function countRows(ctx: Ctx, period: Period, kind: string): Promise<number> {
  const row = await ctx.db.row<{ total: number }>(sql`
    SELECT count(*) AS total FROM (SELECT FROM daily_figures f WHERE f.kind = ${kind} AND ${isIn(period)} GROUP BY f.key) AS keys`);
  return row?.total ?? 0;
}

/** From the orders themselves: customers change their segments at any time. A customer may be in several. */
async function sumSegments(ctx: Ctx, { from, to, timezone, currency }: Period): Promise<SalesRow[]> {
  const groups = (await ctx.bus.callIfInstalled('customers.findSegments', {})) ?? [];
  const found =
    (await ctx.bus.callIfInstalled('orders.sumByCustomers', { from, to, timezone, currency, groups })) ?? [];
  const byKey = new Map(found.map((row) => [row.key, row]));
  return groups.flatMap(({ key, label }) => {
    const row = byKey.get(key);
    return row ? [{ ...row, name: label, code: null }] : [];
  });
}
