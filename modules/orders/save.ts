import { type Changes, type Ctx, changesBetween, sql } from '@chowk/kit';
import { columns } from './columns.ts';
import type { HistoryEntry, NewOrderItem, Order } from './schemas.ts';

/** What can change in an order. */
export interface Fields
  extends Pick<Order, 'status' | 'total' | 'refunded_total' | 'currency' | 'placed_at' | 'shipping_address' | 'note'> {
  readonly items: readonly NewOrderItem[];
}

export function changesOf(current: Order, fields: Partial<Fields>): Changes {
  const items = current.items.map(({ name, sku, quantity, price }) => ({ name, sku, quantity, price }));
  return changesBetween<Fields>({ ...current, items }, fields);
}

/** Writes the changed fields of a locked order. */
export async function saveOrder(ctx: Ctx, current: Order, fields: Partial<Fields>): Promise<Order> {
  const changes = changesOf(current, fields);
  if (fields.items && changes.items) await replaceItems(ctx, current.id, fields.items);
  ctx.audit(changes);
  const { id, status, currency, total, refunded_total, shipping_address, note, placed_at } = { ...current, ...fields };
  return (await ctx.db.row<Order>(sql`
    UPDATE orders o SET status = ${status}, currency = ${currency}, total = ${total}, refunded_total = ${refunded_total},
      shipping_address = ${asJson(shipping_address)}::jsonb, note = ${note}, placed_at = ${placed_at},
      updated_at = ${ctx.now()}
    WHERE id = ${id} RETURNING ${columns}`)) as Order;
}

async function replaceItems(ctx: Ctx, id: string, items: readonly NewOrderItem[]): Promise<void> {
  await ctx.db.run(sql`
    WITH gone AS (DELETE FROM order_items WHERE order_id = ${id})
    INSERT INTO order_items (id, order_id, position, name, sku, quantity, price)
    SELECT n.id, ${id}, n.position, n.name, n.sku, n.quantity, n.price
    FROM jsonb_populate_recordset(NULL::order_items, ${itemRows(ctx, items)}::jsonb) n`);
}

/** Items as rows of `order_items`, in JSON. */
export function itemRows(ctx: Ctx, items: readonly NewOrderItem[]): string {
  return JSON.stringify(items.map((item, position) => ({ ...item, id: ctx.newId(), position })));
}

export function asJson(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}

export async function logHistory(
  ctx: Ctx,
  { id, status }: Order,
  { previous_status, refunded, reason }: Pick<HistoryEntry, 'previous_status' | 'refunded' | 'reason'>,
): Promise<void> {
  await ctx.db.run(sql`
    INSERT INTO order_history (id, order_id, status, previous_status, refunded, reason, user_id, at)
    VALUES (${ctx.newId()}, ${id}, ${status}, ${previous_status}, ${refunded}, ${reason}, ${ctx.userId ?? null},
      ${ctx.now()})`);
}
