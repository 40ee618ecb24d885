import { type Ctx, fromCents, sql, toCents } from '@chowk/kit';
import { isCounted, netRevenue } from './counted-orders.ts';
import type { OrderPeriod, OrderStatistics } from './statistics-schemas.ts';

/** The orders of a day in one currency; null if there are none. */
interface Row {
  readonly date: string;
  readonly currency: string | null;
  readonly orders: number;
  readonly revenue: string;
  readonly net_revenue: string;
  readonly refunded: string;
}

export async function readStatistics(ctx: Ctx, { days }: { days: number }): Promise<OrderStatistics> {
  const { 'general.currency': currency, 'general.timezone': timezone } = await ctx.settings();
  const rows = await sumOrders(ctx, { days, timezone });
  const firstDay = [...new Set(rows.map(({ date }) => date))][days] as string;
  return {
    days,
    currency,
    timezone,
    current: summarizePeriod(
      currency,
      rows.filter(({ date }) => date >= firstDay),
    ),
    previous: summarizePeriod(
      currency,
      rows.filter(({ date }) => date < firstDay),
    ),
  };
}

/**
 * Twice as many days as asked for, the earliest first. The previous period ends at the same time of day as the current one.
 * The first condition is for the index; a day more than needed, because a clock that is put back at midnight begins a day twice.
 */
function sumOrders(ctx: Ctx, { days, timezone }: { days: number; timezone: string }): Promise<Row[]> {
  const now = sql`${ctx.now()}::timestamptz`;
  const local = sql`(${now} AT TIME ZONE ${timezone})`;
  const first = sql`(${local}::date - ${2 * days - 1}::integer)`;
  const placed = sql`(o.placed_at AT TIME ZONE ${timezone})`;
  const sameTime = sql`(${local} - make_interval(days => ${days}::integer))`;
  return ctx.db.rows<Row>(sql`
    WITH sums AS (
      SELECT ${placed}::date AS date, o.currency, count(*)::integer AS orders,
        sum(o.total) AS revenue, sum(${netRevenue}) AS net_revenue, sum(o.refunded_total) AS refunded
      FROM orders o
      WHERE ${isCounted}
        AND o.placed_at >= (${first} - 1)::timestamp AT TIME ZONE ${timezone} AND o.placed_at <= ${now}
        AND ${placed}::date >= ${first} AND (${placed} <= ${sameTime} OR ${placed}::date > ${sameTime}::date)
      GROUP BY 1, 2)
    SELECT day::date::text AS date, s.currency, coalesce(s.orders, 0) AS orders,
      coalesce(s.revenue, 0)::text AS revenue, coalesce(s.net_revenue, 0)::text AS net_revenue,
      coalesce(s.refunded, 0)::text AS refunded
    FROM generate_series(${first}::timestamp, ${local}::date::timestamp, '1 day') day
    LEFT JOIN sums s ON s.date = day::date
    ORDER BY day, s.currency`);
}

function summarizePeriod(currency: string, rows: readonly Row[]): OrderPeriod {
  const isOther = (row: Row) => row.currency !== null && row.currency !== currency;
  const others = Map.groupBy(rows.filter(isOther), (row) => row.currency as string);
  return {
    ...sumRows(currency, rows),
    days: [...Map.groupBy(rows, ({ date }) => date)].map(([date, ofDay]) => ({ date, ...sumRows(currency, ofDay) })),
    other_currencies: [...others].sort().map(([other, of]) => ({ currency: other, ...sumRows(other, of) })),
  };
}

/** All orders, and the amounts of those in the currency. */
function sumRows(currency: string, rows: readonly Row[]) {
  const counted = rows.filter((row) => row.currency === currency);
  const sum = (key: 'revenue' | 'net_revenue' | 'refunded') =>
    counted.reduce((total, row) => total + toCents(row[key], currency), 0n);
  const amount = (units: bigint) => fromCents(units, currency);
  const count = (some: readonly Row[]) => some.reduce((total, { orders }) => total + orders, 0);
  return {
    orders: count(rows),
    revenue: amount(sum('revenue')),
    net_revenue: amount(sum('net_revenue')),
    refunded: amount(sum('refunded')),
    avg_order_value: amount(divide(sum('revenue'), BigInt(count(counted)))),
  };
}

/** Rounded to the nearest; 0 without a divisor. */
function divide(cents: bigint, by: bigint): bigint {
  return by === 0n ? 0n : (2n * cents + by) / (2n * by);
}
