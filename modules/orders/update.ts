import { isDeepStrictEqual } from 'node:util';
import { type Ctx, invalid, sql } from '@chowk/kit';
import { fromCents, toCents } from './amounts.ts';
import { columns, hiddenLines, seesAll } from './columns.ts';
import { asJson, itemRows } from './create.ts';
import { fail } from './errors.ts';
import { tellStatusChanged, tellUpdated } from './events.ts';
import { log } from './history.ts';
import { lockOrder } from './orders.ts';
import { type Fields, readFields } from './rules.ts';
import type { Order, OrderChanges, Status, StatusChange } from './schemas.ts';
import { mustBePossible } from './transitions.ts';

type Key = { readonly id: string };

/** Changes the given fields, and the status if there is one. */
export async function updateOrder(ctx: Ctx, { id }: Key, { status, ...changes }: OrderChanges): Promise<Order> {
  const fields = readFields(changes);
  return ctx.tx(async (tx) => {
    const current = await lockOrder(tx, id);
    const updated = await applyFields(tx, current, keepHidden(tx, current, changes, fields));
    return status === undefined ? updated : enter(tx, updated, { status });
  });
}

export function changeStatus(ctx: Ctx, { id }: Key, change: StatusChange): Promise<Order> {
  return ctx.tx(async (tx) => enter(tx, await lockOrder(tx, id), change));
}

/** Sets the status of an order that is locked. Who refunds an order refunds all that is left of it. */
export async function enter(ctx: Ctx, current: Order, { status, reason = null }: Step): Promise<Order> {
  const { status: previous_status, total, refunded_total } = current;
  if (status === previous_status) return current;
  mustBePossible(ctx, previous_status, status);
  const rest = fromCents(toCents(total) - toCents(refunded_total));
  const refunded = status === 'refunded' ? rest : null;
  const order = await write(ctx, { ...current, status, refunded_total: refunded === null ? refunded_total : total });
  await log(ctx, order, { previous_status, refunded, reason });
  await tellStatusChanged(ctx, order, { previous_status, reason });
  return order;
}

interface Step {
  readonly status: Status;
  readonly reason?: string | null | undefined;
}

async function applyFields(ctx: Ctx, current: Order, fields: Partial<Fields>): Promise<Order> {
  const changed = (Object.keys(fields) as (keyof Fields)[]).filter(
    (name) => !isDeepStrictEqual(fields[name], name === 'items' ? keptItems(current) : current[name]),
  );
  if (changed.length === 0) return current;
  mustFit(current, fields, changed);
  if (fields.items && changed.includes('items')) await replaceItems(ctx, current, fields.items);
  const order = await write(ctx, { ...current, ...fields });
  await tellUpdated(ctx, order, changed);
  return order;
}

function mustFit(current: Order, { total }: Partial<Fields>, changed: readonly (keyof Fields)[]): void {
  const { status, refunded_total } = current;
  const isClosed = status === 'cancelled' || status === 'refunded';
  if (isClosed && (changed.includes('items') || changed.includes('total'))) throw fail('orders.closed', current);
  if (total !== undefined && toCents(total) < toCents(refunded_total)) {
    throw invalid({ total: [`The total must be at least ${refunded_total}, which was refunded.`] });
  }
}

/** Who does not see the street sends the address back without it, and does not mean that there is none. */
function keepHidden(
  ctx: Ctx,
  { shipping_address: old }: Order,
  { shipping_address: given }: OrderChanges,
  fields: Partial<Fields>,
): Partial<Fields> {
  if (!old || !given || seesAll(ctx)) return fields;
  const hidden = Object.fromEntries(hiddenLines.filter((line) => line in old).map((line) => [line, old[line]]));
  const address = { ...hidden, ...fields.shipping_address };
  return { ...fields, shipping_address: Object.keys(address).length === 0 ? null : address };
}

function keptItems({ items }: Order) {
  return items.map(({ name, sku, quantity, price }) => ({ name, sku, quantity, price }));
}

async function replaceItems(ctx: Ctx, { id }: Order, items: Fields['items']): Promise<void> {
  await ctx.db.run(sql`
    WITH gone AS (DELETE FROM order_items WHERE order_id = ${id})
    INSERT INTO order_items (id, order_id, position, name, sku, quantity, price)
    SELECT n.id, ${id}, n.position, n.name, n.sku, n.quantity, n.price
    FROM jsonb_populate_recordset(NULL::order_items, ${itemRows(ctx, items)}::jsonb) n`);
}

/** Writes the order as it is to be, but for its items. */
export async function write(ctx: Ctx, order: Omit<Order, 'items'>): Promise<Order> {
  const { id, status, currency, total, refunded_total, shipping_address, note, placed_at } = order;
  return (await ctx.db.row<Order>(sql`
    UPDATE orders o SET status = ${status}, currency = ${currency}, total = ${total}, refunded_total = ${refunded_total},
      shipping_address = ${asJson(shipping_address)}::jsonb, note = ${note}, placed_at = ${placed_at},
      updated_at = ${ctx.now()}
    WHERE id = ${id} RETURNING ${columns()}`)) as Order;
}
