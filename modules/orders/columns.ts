import { type Ctx, type Sql, sql } from '@chowk/kit';
import type { Order } from './schemas.ts';

/** An order with all there is, from a row of `orders o` and its items in the table, or what stands for it. */
export function columns(items: Sql = sql`order_items`): Sql {
  return sql`o.id, o.order_number, o.customer_id, o.status, o.currency,
    (SELECT coalesce(json_agg(json_build_object('id', i.id, 'name', i.name, 'sku', i.sku, 'quantity', i.quantity,
        'price', i.price::text, 'total', (i.quantity * i.price)::numeric(20, 2)::text) ORDER BY i.position), '[]')
      FROM ${items} i WHERE i.order_id = o.id) AS items,
    o.total::text AS total, o.refunded_total::text AS refunded_total, o.shipping_address, o.note,
    iso(o.placed_at) AS placed_at, iso(o.created_at) AS created_at, iso(o.updated_at) AS updated_at`;
}

/** Whether the caller sees phones and street addresses. */
export function seesAll(ctx: Ctx): boolean {
  return ctx.can('customers.view_sensitive');
}

/** What of a shipping address not everybody sees. */
export const hiddenLines = ['address1', 'address2', 'phone'] as const;

/** An order as its caller may see it. */
export function seen<Seen extends Pick<Order, 'shipping_address'>>(ctx: Ctx, order: Seen): Seen {
  const { shipping_address: address } = order;
  if (address === null || seesAll(ctx)) return order;
  const hidden = hiddenLines.filter((line) => line in address).map((line) => [line, null]);
  return { ...order, shipping_address: { ...address, ...Object.fromEntries(hidden) } };
}
