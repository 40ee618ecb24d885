import {
  type Ctx,
  columnsFor,
  IdSet,
  isAmong,
  Money,
  NamedObject,
  Nullable,
  operation,
  type Sql,
  type Static,
  sql,
  Type,
} from '@chowk/kit';
import {
  type Days,
  decimals,
  isCounted,
  isPlacedOn,
  lessRefunds,
  netRevenue,
  placedDay,
  shipping,
} from './counted-orders.ts';

/* What other modules keep figures of orders with: which days have changed, and the sums of days. */

const Timezone = Type.String({ examples: ['Asia/Kolkata'] });
const Day = Type.String({ examples: ['2026-01-31'] });
const period = { from: Day, to: Day, timezone: Timezone };
const Sums = {
  orders: Type.Integer(),
  units: Type.Integer(),
  revenue: Money,
  discounts: Money,
  refunded: Money,
  taxes: Money,
  shipping: Money,
  net_revenue: Money,
};

const Figure = NamedObject('OrderFigure', {
  day: Day,
  currency: Type.String(),
  kind: Type.Enum(['day', 'product', 'variant', 'discount', 'tax']),
  key: Type.String({ description: 'Unique in day, currency and kind.' }),
  name: Type.String(),
  detail: Nullable(Type.String({ description: 'The SKU of a variant, the code of a discount, the rate of a tax.' })),
  ...Sums,
  taxable: { ...Money, description: 'What a tax was calculated from.' },
});
type Figure = Static<typeof Figure>;

const DayRange = Type.Object({ from: Day, to: Day });
type DayRange = Static<typeof DayRange>;

const CustomerGroup = Type.Object({ key: Type.String(), customers: IdSet.schema });
const GroupSums = Type.Object({ key: Type.String(), ...Sums });

export const figureOperations = {
  'orders.hasChangedDays': operation({
    summary: 'Say whether orders have changed since `orders.takeChangedDays`',
    input: Type.Object({}),
    output: Type.Boolean(),
    async run(ctx) {
      const row = await ctx.db.row<{ any: boolean }>(sql`SELECT EXISTS (SELECT FROM order_changed_times) AS any`);
      return row?.any ?? false;
    },
  }),
  'orders.takeChangedDays': operation({
    summary: 'Take the days whose orders have changed since the last call, as ranges of at most a month',
    description:
      'An order that was moved to another day changes both. A transaction that is rolled back takes nothing.',
    input: Type.Object({ timezone: Timezone }),
    output: Type.Array(DayRange),
    run: (ctx, { timezone }) =>
      findRanges(
        ctx,
        sql`taken AS (DELETE FROM order_changed_times RETURNING placed_at)`,
        sql`SELECT (placed_at AT TIME ZONE ${timezone})::date FROM taken`,
      ),
  }),
  'orders.listDays': operation({
    summary: 'List the days on which orders were placed, as ranges of at most a month',
    input: Type.Object({ timezone: Timezone }),
    output: Type.Array(DayRange),
    run: (ctx, { timezone }) =>
      findRanges(
        ctx,
        sql`placed AS (SELECT placed_at FROM orders WHERE deleted_at IS NULL)`,
        sql`SELECT (placed_at AT TIME ZONE ${timezone})::date FROM placed`,
      ),
  }),
  'orders.sumByDay': operation({
    summary: 'Sum the orders of each day: all, and by product, variant, discount and tax',
    description: 'Pending, cancelled, failed and deleted orders do not count.',
    input: Type.Object(period),
    output: Type.Array(Figure),
    run: sumByDay,
  }),
  'orders.sumByCustomers': operation({
    summary: 'Sum the orders of groups of customers',
    description: 'Pending, cancelled, failed and deleted orders do not count.',
    input: Type.Object({ ...period, currency: Type.String(), groups: Type.Array(CustomerGroup) }),
    output: Type.Array(GroupSums),
    run: sumByCustomers,
  }),
};

/** Consecutive days become one range, within months of 31 days. */
function findRanges(ctx: Ctx, source: Sql, days: Sql): Promise<DayRange[]> {
  return ctx.db.rows<DayRange>(sql`
    WITH ${source}, days AS (SELECT DISTINCT day FROM (${days}) AS all_days (day))
    SELECT min(day)::text AS "from", max(day)::text AS "to"
    FROM (SELECT day, day - (row_number() OVER (ORDER BY day))::integer AS island FROM days) AS islands
    GROUP BY island, (day - date '2000-01-01') / 31 ORDER BY min(day)`);
}

/** Orders with the amounts that are added up, as `c`. */
function countedOrders(days: Days, condition: Sql = sql`true`): Sql {
  return sql`
    SELECT o.id, ${placedDay(days.timezone)} AS day, o.currency, o.customer_id, o.discounts, o.taxes, o.shipping AS ship, ${decimals} AS decimals,
      o.total, o.refunded_total, o.total AS revenue, o.discount_total AS discounted, o.refunded_total AS refunded, o.tax_total AS taxed,
      ${shipping} AS shipping, ${netRevenue} AS net_revenue,
      (SELECT coalesce(sum(i.quantity), 0) FROM order_items i WHERE i.order_id = o.id) AS units
    FROM orders o WHERE ${isCounted} AND ${isPlacedOn(days)} AND ${condition}`;
}

const sums = sql`count(*)::integer AS orders, coalesce(sum(c.units), 0)::bigint AS units, coalesce(sum(c.revenue), 0) AS revenue,
  coalesce(sum(c.discounted), 0) AS discounts, coalesce(sum(c.refunded), 0) AS refunded, coalesce(sum(c.taxed), 0) AS taxes,
  coalesce(sum(c.shipping), 0) AS shipping, coalesce(sum(c.net_revenue), 0) AS net_revenue`;

/** The same of items, each for its order only. */
const itemSums = sql`count(DISTINCT i.order_id)::integer AS orders, sum(i.quantity)::bigint AS units, sum(i.total) AS revenue,
  sum(i.discount_total) AS discounts, sum(i.refunded) AS refunded, sum(i.tax_total) AS taxes, 0 AS shipping, sum(i.net_revenue) AS net_revenue`;

const freeText = sql`coalesce('sku:' || i.sku, 'name:' || i.name)`;

function sumByDay(ctx: Ctx, days: Days): Promise<Figure[]> {
  const itemTotal = sql`coalesce(i.total, i.quantity * i.price)`;
  const order = sql`(SELECT c.total, c.refunded_total, c.currency) AS o`;
  return ctx.db.rows<Figure>(sql`
    WITH c AS MATERIALIZED (${countedOrders(days)}),
    i AS MATERIALIZED (
      SELECT c.day, c.currency, i.order_id, i.product_id, i.variant_id, i.name, i.sku, i.quantity, i.discount_total, i.tax_total, i.taxes,
        ${itemTotal} AS total, ${itemTotal} - ${lessRefunds(itemTotal)} AS refunded, ${itemTotal} - i.tax_total AS taxable,
        ${lessRefunds(sql`(${itemTotal} - i.tax_total)`)} AS net_revenue
      FROM c JOIN order_items i ON i.order_id = c.id, LATERAL ${order}),
    d AS (
      SELECT c.id, coalesce(d->>'discount_id', d->>'source' || ':' || (d->>'title')) AS key, max(d->>'title') AS name, max(d->>'code') AS code,
        sum((d->>'amount')::numeric) AS amount
      FROM c, jsonb_array_elements(c.discounts) d GROUP BY 1, 2),
    taxed AS (
      SELECT l.order_id, t->>'name' AS name, t->>'rate' AS rate, sum(l.taxable) AS taxable
      FROM (SELECT i.order_id, i.taxable, i.taxes FROM i
        UNION ALL SELECT c.id, c.shipping, c.ship->'taxes' FROM c WHERE c.ship IS NOT NULL) l, jsonb_array_elements(l.taxes) t
      GROUP BY 1, 2, 3),
    t AS (
      SELECT c.id, t->>'name' AS name, t->>'rate' AS rate, sum((t->>'amount')::numeric) AS amount
      FROM c, jsonb_array_elements(c.taxes) t GROUP BY 1, 2, 3)
    SELECT ${columnsFor(Figure, sql`f`)} FROM (
    SELECT c.day::text, c.currency, 'day' AS kind, '' AS key, '' AS name, NULL AS detail, ${sums}, 0 AS taxable
    FROM c GROUP BY c.day, c.currency
    UNION ALL
    SELECT i.day::text, i.currency, 'product', coalesce(i.product_id::text, ${freeText}), max(i.name), NULL, ${itemSums}, 0
    FROM i GROUP BY i.day, i.currency, 4
    UNION ALL
    SELECT i.day::text, i.currency, 'variant', coalesce(i.variant_id::text, ${freeText}), max(i.name), max(i.sku), ${itemSums}, 0
    FROM i GROUP BY i.day, i.currency, 4
    UNION ALL
    SELECT c.day::text, c.currency, 'discount', d.key, max(d.name), max(d.code), count(*)::integer, sum(c.units)::bigint, sum(c.revenue),
      sum(d.amount), sum(c.refunded), sum(c.taxed), sum(c.shipping), sum(c.net_revenue), 0
    FROM d JOIN c ON c.id = d.id GROUP BY c.day, c.currency, d.key
    UNION ALL
    SELECT c.day::text, c.currency, 'tax', concat_ws(' ', t.name, t.rate), max(t.name), max(t.rate), count(*)::integer, 0, 0,
      0, sum(t.amount - ${lessRefunds(sql`t.amount`)}), sum(t.amount), 0, 0, sum(coalesce(taxed.taxable, c.total - c.taxed))
    FROM t JOIN c ON c.id = t.id
      LEFT JOIN taxed ON taxed.order_id = t.id AND taxed.name = t.name AND taxed.rate IS NOT DISTINCT FROM t.rate, LATERAL ${order}
    GROUP BY c.day, c.currency, 4) f`);
}

type Grouped = Days & { readonly currency: string; readonly groups: readonly Static<typeof CustomerGroup>[] };

async function sumByCustomers(ctx: Ctx, { currency, groups, ...days }: Grouped): Promise<Static<typeof GroupSums>[]> {
  if (groups.length === 0) return [];
  const selects = groups.map(
    ({ key, customers }) =>
      sql`SELECT ${key} AS key, ${sums} FROM c WHERE ${isAmong(sql`c.customer_id`, customers)[0] ?? sql`true`}`,
  );
  const union = selects.reduce((all, one) => sql`${all} UNION ALL ${one}`);
  return ctx.db.rows<Static<typeof GroupSums>>(sql`
    WITH c AS MATERIALIZED (${countedOrders(days, sql`o.currency = ${currency}`)})
    SELECT ${columnsFor(GroupSums, sql`s`)} FROM (${union}) s`);
}
