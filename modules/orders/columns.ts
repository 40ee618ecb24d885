import { columnsFor, raw, type Sql, sql } from '@chowk/kit';
import { OrderItem } from './item-schemas.ts';
import { OrderPayment, RecordedRefund } from './payment-schemas.ts';
import { HistoryEntry, Order } from './schemas.ts';
import { Shipment } from './shipment-schemas.ts';

const moneyText = (amount: Sql) => sql`round(${amount}, greatest(2, min_scale(${amount})))::text`;

/** All units of these orders have left, also if an older server has changed the status. */
const isShipped = sql`o.status IN ('shipped', 'delivered')`;
export const fulfillmentStatus = sql`CASE WHEN ${isShipped} THEN 'fulfilled' ELSE o.fulfillment_status END`;

const lineTotal = sql`(i.quantity * i.price)`;
const item = columnsFor(OrderItem, sql`i`, {
  subtotal: moneyText(sql`coalesce(i.subtotal, ${lineTotal})`),
  total: moneyText(sql`coalesce(i.total, ${lineTotal})`),
  shipped_quantity: sql`CASE WHEN ${isShipped} AND o.fulfillment_status <> 'fulfilled' THEN i.quantity ELSE i.shipped_quantity END`,
});

/** From the amounts, so that they always agree: orders without an amount to pay are paid. */
export const paymentStatus = sql`CASE
  WHEN o.refunded_total > 0 AND o.refunded_total >= o.paid_total THEN 'refunded'
  WHEN o.paid_total >= o.total THEN 'paid'
  WHEN o.paid_total > 0 THEN 'partly_paid'
  ELSE 'unpaid' END`;

const addedTax = sql`CASE WHEN o.prices_include_tax THEN 0 ELSE o.tax_total END`;
const calculated = sql`(coalesce(o.subtotal, o.total) - o.discount_total + o.shipping_total + ${addedTax})`;

/** An order from a row of `orders o`; `items` is the table with its items. */
export function columnsWith(items: Sql): Sql {
  return columnsFor(Order, sql`o`, {
    items: sql`(SELECT coalesce(json_agg(i), '[]') FROM (
      SELECT ${item} FROM ${items} i WHERE i.order_id = o.id ORDER BY i.position) i)`,
    subtotal: moneyText(sql`coalesce(o.subtotal, o.total)`),
    adjustment_total: moneyText(sql`(o.total - ${calculated})`),
    due_total: moneyText(sql`greatest(o.total - o.paid_total, 0)`),
    payment_status: paymentStatus,
    fulfillment_status: fulfillmentStatus,
    discount_codes: sql`coalesce(o.price_choices->'discount_codes', '[]')`,
  });
}

export const columns = columnsWith(sql`order_items`);

const entry = columnsFor(HistoryEntry, sql`h`, { at: sql`iso(h.at)` });

/** A shipment from a row of `order_shipments s`. */
export const shipmentColumns = columnsFor(Shipment, sql`s`, {
  items: sql`(SELECT coalesce(json_agg(json_build_object('item_id', p.item_id, 'quantity', p.quantity) ORDER BY i.position), '[]')
    FROM order_shipment_items p JOIN order_items i ON i.id = p.item_id WHERE p.shipment_id = s.id)`,
  ...Object.fromEntries(
    ['shipped_at', 'delivered_at', 'cancelled_at', 'created_at', 'updated_at'].map((name) => [
      name,
      sql`iso(s.${raw(name)})`,
    ]),
  ),
});

/** A payment from a row of `order_payments p`. */
export const paymentColumns = columnsFor(OrderPayment, sql`p`, {
  refunded_total: sql`(SELECT ${moneyText(sql`coalesce(sum(r.amount), 0)`)} FROM order_refunds r
    WHERE r.payment_id = p.id AND r.status <> 'failed')`,
  paid_at: sql`iso(p.paid_at)`,
  created_at: sql`iso(p.created_at)`,
  updated_at: sql`iso(p.updated_at)`,
});
/** A refund from a row of `order_refunds r`. */
export const refundColumns = columnsFor(RecordedRefund, sql`r`, { created_at: sql`iso(r.created_at)` });

export const details = sql`(SELECT coalesce(json_agg(h), '[]') FROM (
  SELECT ${entry} FROM order_history h WHERE h.order_id = o.id ORDER BY h.at, h.id) h) AS history,
  (SELECT coalesce(json_agg(p), '[]') FROM (
    SELECT ${paymentColumns} FROM order_payments p WHERE p.order_id = o.id ORDER BY p.created_at, p.id) p) AS payments,
  (SELECT coalesce(json_agg(r), '[]') FROM (
    SELECT ${refundColumns} FROM order_refunds r WHERE r.order_id = o.id ORDER BY r.created_at, r.id) r) AS refunds,
  (SELECT coalesce(json_agg(s), '[]') FROM (
    SELECT ${shipmentColumns} FROM order_shipments s WHERE s.order_id = o.id ORDER BY s.created_at, s.id) s) AS shipments`;
