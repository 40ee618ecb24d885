import { type Changes, type Ctx, changesBetween, fromCents, sql, toCents } from '@chowk/kit';
import { columns } from './columns.ts';
import { fail } from './errors.ts';
import { closedStatuses } from './rules.ts';
import type { NewOrderItem, Order } from './schemas.ts';

type Stored = Omit<Order, 'items'> & { readonly items: readonly NewOrderItem[] };

/** Throws if the fields would change what was bought, for how much and when, after the order is closed. */
export function mustBeOpen(current: Order, fields: Partial<Stored>): void {
  if (closedStatuses.has(current.status) && editsIn(orderChanges(current, fields)))
    throw fail('orders.closed', current);
}

function orderChanges(current: Order, fields: Partial<Stored>): Changes {
  const items = current.items.map(({ name, sku, quantity, price }) => ({ name, sku, quantity, price }));
  return changesBetween<Stored>({ ...current, items }, fields);
}

/** Writes the changed fields of a locked order, with history, audit entry and event. */
export async function saveOrder(ctx: Ctx, current: Order, fields: Partial<Stored>, reason: string | null = null) {
  const changes = orderChanges(current, fields);
  const changed = Object.keys(changes);
  if (changed.length === 0) return current;
  const edits = editsIn(changes);
  if (fields.items && changes.items) await replaceItems(ctx, current, fields.items);
  const order = await write(ctx, current, { ...current, ...fields }, edits, reason);
  ctx.audit(changes);
  if (!changes.status) await ctx.emit('order.updated', { order, changed });
  else await ctx.emit('order.status_changed', { order, previous_status: current.status, reason });
  return order;
}

/** The changes that are in the history of the order: what was bought, for how much and when. */
function editsIn({ items, total, placed_at }: Changes): Changes | null {
  const edits = Object.entries({ items, total, placed_at }).filter(([, change]) => change);
  return edits.length === 0 ? null : (Object.fromEntries(edits) as Changes);
}

/** Logs changes of status, refunds and edits in the history. */
async function write(
  ctx: Ctx,
  before: Order,
  after: Omit<Order, 'items'>,
  edits: Changes | null,
  reason: string | null,
): Promise<Order> {
  const { id, status, total, refunded_total, shipping_address, note, placed_at } = after;
  const cents = toCents(refunded_total) - toCents(before.refunded_total);
  const refunded = cents > 0n || status === 'refunded' ? fromCents(cents) : null;
  const isLogged = status !== before.status || cents > 0n || edits !== null;
  return (await ctx.db.row<Order>(sql`
    WITH o AS (
      UPDATE orders SET status = ${status}, total = ${total},
        refunded_total = ${refunded_total}, shipping_address = ${shipping_address}::jsonb, note = ${note},
        placed_at = ${placed_at}, updated_at = ${ctx.now()}
      WHERE id = ${id} RETURNING *),
    logged AS (
      INSERT INTO order_history (id, order_id, status, previous_status, refunded, changes, reason, user_id, at)
      SELECT ${ctx.newId()}::uuid, id, status, ${before.status}, ${refunded}::numeric, ${edits}::jsonb, ${reason},
        ${ctx.userId ?? null}::bigint, updated_at
      FROM o WHERE ${isLogged})
    SELECT ${columns} FROM o`)) as Order;
}

async function replaceItems(ctx: Ctx, { id }: Order, items: readonly NewOrderItem[]): Promise<void> {
  await ctx.db.run(sql`
    WITH deleted AS (DELETE FROM order_items WHERE order_id = ${id})
    INSERT INTO order_items (id, order_id, position, name, sku, quantity, price)
    SELECT n.id, ${id}, n.position, n.name, n.sku, n.quantity, n.price
    FROM jsonb_populate_recordset(NULL::order_items, ${itemRows(ctx, items)}::jsonb) n`);
}

export function itemRows(ctx: Ctx, items: readonly NewOrderItem[]): string {
  return JSON.stringify(items.map((item, position) => ({ ...item, id: ctx.newId(), position })));
}
