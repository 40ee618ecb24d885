import { type Ctx, sql } from '@chowk/kit';

interface RefundedUnits {
  readonly refunded: number;
  /** Those that went back into the stock. */
  readonly restocked: number;
}

/** The units of each item that were refunded; those of refunds that failed do not count. */
export async function readRefundedUnits(ctx: Ctx, orderId: string): Promise<Map<string, RefundedUnits>> {
  const rows = await ctx.db.rows<RefundedUnits & { item_id: string }>(sql`
    SELECT u.item_id, sum(u.quantity)::integer AS refunded,
      coalesce(sum(u.quantity) FILTER (WHERE r.restocked), 0)::integer AS restocked
    FROM order_refunds r, jsonb_to_recordset(r.items) AS u (item_id uuid, quantity integer)
    WHERE r.order_id = ${orderId} AND r.status <> 'failed' GROUP BY u.item_id`);
  return new Map(rows.map(({ item_id, ...units }) => [item_id, units]));
}

interface WithItems<Item> {
  readonly id: string;
  readonly items: readonly Item[];
  readonly refunded_total: string;
}

/** The items without the units that were given back, which are not shipped any more. */
export async function readKeptItems<Item extends { readonly id: string; readonly quantity: number }>(
  ctx: Ctx,
  { id, items, refunded_total }: WithItems<Item>,
): Promise<Item[]> {
  if (refunded_total === '0.00') return [...items];
  const refunded = await readRefundedUnits(ctx, id);
  return items.map((item) => ({ ...item, quantity: item.quantity - (refunded.get(item.id)?.restocked ?? 0) }));
}
