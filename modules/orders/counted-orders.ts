import { raw, type Sql, sql, toCents } from '@chowk/kit';

/* The orders `o` that count in statistics and reports, and their amounts. */

export const isCounted = sql`(o.deleted_at IS NULL AND o.status NOT IN ('pending', 'cancelled', 'failed'))`;

const currencies = Map.groupBy(Intl.supportedValuesOf('currency'), (code) => toCents('1', code));
const codes = (units: bigint) => raw((currencies.get(units) ?? []).map((code) => `'${code}'`).join(', '));

/** The decimals of the order's currency. */
export const decimals = sql`CASE WHEN o.currency IN (${codes(1n)}) THEN 0 WHEN o.currency IN (${codes(1_000n)}) THEN 3 ELSE 2 END`;

/** What is left of an amount of the order if refunds are divided over all of it in proportion. */
export const lessRefunds = (amount: Sql) =>
  sql`CASE WHEN o.refunded_total = 0 THEN ${amount} ELSE round(${amount} * (o.total - o.refunded_total) / o.total, ${decimals}) END`;

const shippingAmount = (name: string) => sql`coalesce((o.shipping->>${raw(`'${name}'`)})::numeric, 0)`;

/** After discounts and without taxes. */
export const shipping = sql`(o.shipping_total - ${shippingAmount('discount_total')}
  - CASE WHEN o.prices_include_tax THEN ${shippingAmount('tax_total')} ELSE 0 END)`;

/** The total without taxes, shipping and the part of it that was refunded. */
export const netRevenue = lessRefunds(sql`greatest(o.total - o.tax_total - ${shipping}, 0)`);

/** The day on which the order was placed in the time zone. */
export const placedDay = (timezone: string): Sql => sql`(o.placed_at AT TIME ZONE ${timezone})::date`;

/**
 * Whether the order was placed on one of the days. The first conditions are for the index; a day more than needed, because a
 * clock that is put back at midnight begins a day twice.
 */
export function isPlacedOn({ from, to, timezone }: Days): Sql {
  return sql`(o.placed_at >= (${from}::date - 1)::timestamp AT TIME ZONE ${timezone}
    AND o.placed_at < (${to}::date + 2)::timestamp AT TIME ZONE ${timezone}
    AND ${placedDay(timezone)} BETWEEN ${from}::date AND ${to}::date)`;
}

/** From one day to another, in a time zone. */
export interface Days {
  readonly from: string;
  readonly to: string;
  readonly timezone: string;
}
