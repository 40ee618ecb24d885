import { type Changes, type Ctx, changesBetween, sql } from '@chowk/kit';
import { fromThousandths, toThousandths } from './amounts.ts';
import { columns } from './columns.ts';
import { fail } from './errors.ts';
import { logChanges } from './history.ts';
import type { OrderItem } from './item-schemas.ts';
import type { PricedItem } from './price-order.ts';
import { closedStatuses } from './rules.ts';
import type { Order, OrderMoney, PriceChoices } from './schemas.ts';
import { whileUnique } from './unique-ids.ts';

/** An item as a row of `order_items`. */
export type ItemRow = Omit<PricedItem, 'id' | 'available' | 'continue_selling' | 'refusal'> & {
  readonly id: string;
  readonly position: number;
};

export const itemColumns = sql`id, position, name, sku, quantity, price, product_id, variant_id, image_url, taxable, tax_class, tax_code, weight_grams,
  discount, discount_total, taxes, tax_total, subtotal, total`;

export function itemRecords(ctx: Ctx, items: readonly PricedItem[]): ItemRow[] {
  return items.map(({ available: _, continue_selling: __, refusal: ___, id = ctx.newId(), ...item }, position) => {
    return { ...item, id, position };
  });
}

/** The fields of an order that can change, and the choices of its price. */
export type OrderEdit = Partial<
  Pick<
    Order,
    | 'status'
    | 'paid_total'
    | 'refunded_total'
    | 'payment_method'
    | 'shipping_address'
    | 'billing_address'
    | 'note'
    | 'metadata'
    | 'external_ids'
    | 'placed_at'
    | 'fulfillment_status'
  > &
    OrderMoney & { readonly items: readonly ItemRow[]; readonly price_choices: PriceChoices }
>;

/** Throws if the fields would change what was bought, for how much and when, after the order is closed. */
export function mustBeOpen(current: Order, fields: OrderEdit): void {
  if (closedStatuses.has(current.status) && editsIn(orderChanges(current, fields)))
    throw fail('orders.closed', current);
}

function orderChanges(current: Order, { items, price_choices: _, ...fields }: OrderEdit): Changes {
  const before = { ...current, items: current.items.map(describeItem) };
  return changesBetween<object>(before, { ...fields, ...(items ? { items: items.map(describeItem) } : {}) });
}

function describeItem({ name, sku, quantity, price, discount }: Pick<OrderItem, keyof OrderItem & keyof ItemRow>) {
  return { name, sku, quantity, price, ...(discount ? { discount } : {}) };
}

interface OrderSave {
  /** The order before, locked. */
  readonly current: Order;
  readonly fields: OrderEdit;
  readonly reason?: string | null | undefined;
  /** What has changed of its payments. */
  readonly payments?: Changes | undefined;
}

/** Writes the changed fields of a locked order, with history, audit entry and event. */
export async function saveOrder(ctx: Ctx, { current, fields, reason = null, payments }: OrderSave): Promise<Order> {
  const changes = orderChanges(current, fields);
  const changed = Object.keys(changes);
  if (changed.length === 0) return current;
  const edits = editsIn(changes, payments);
  if (fields.items) await replaceItems(ctx, current, fields.items);
  const order = await whileUnique(() => writeOrder(ctx, { current, fields, edits, reason }));
  ctx.audit(changes);
  if (!changes.status) await ctx.emit('order.updated', { order, changed });
  else await ctx.emit('order.status_changed', { order, previous_status: current.status, reason });
  return order;
}

/** Writes a new paid total of a locked order, and what has changed of its payments. */
export async function savePaidTotal(
  ctx: Ctx,
  current: Order,
  paid_total: string,
  payments: Changes | undefined,
): Promise<Order> {
  if (paid_total !== current.paid_total) return saveOrder(ctx, { current, fields: { paid_total }, payments });
  if (payments) await logChanges(ctx, current, payments);
  return touchOrder(ctx, current, 'payments');
}

/** Reports a change of payments, refunds or shipments that changes no field of the order. */
export async function touchOrder(
  ctx: Ctx,
  { id }: Order,
  changed: 'payments' | 'refunds' | 'shipments',
): Promise<Order> {
  const order = (await ctx.db.row<Order>(sql`
    UPDATE orders o SET updated_at = ${ctx.now()} WHERE id = ${id} RETURNING ${columns}`)) as Order;
  await ctx.emit('order.updated', { order, changed: [changed] });
  return order;
}

/** The changes that are in the history of the order: what was bought, for how much and when, and what was paid. */
function editsIn(changes: Changes, payments: Changes = {}): Changes | null {
  const { items, total, placed_at, paid_total, refunded_total } = changes;
  const edits = Object.entries({
    ...payments,
    items,
    total,
    placed_at,
    paid_total,
    // A refund has an amount of its own in the history; one that has failed is taken back.
    refunded_total: refunded_total && isLess(refunded_total) ? refunded_total : undefined,
  }).filter(([, change]) => change);
  return edits.length === 0 ? null : (Object.fromEntries(edits) as Changes);
}

function isLess([before, after]: Changes[string]): boolean {
  return toThousandths(after as string) < toThousandths(before as string);
}

/** Logs changes of status, refunds and edits in the history. */
async function writeOrder(
  ctx: Ctx,
  { current, fields, edits, reason }: OrderSave & { readonly edits: Changes | null; readonly reason: string | null },
): Promise<Order> {
  const after = { ...current, ...fields };
  const { id, status, total, refunded_total, shipping_address, billing_address, note, placed_at } = after;
  const more = toThousandths(refunded_total) - toThousandths(current.refunded_total);
  const isNew = status !== current.status;
  const refunded = more > 0n || (isNew && status === 'refunded') ? fromThousandths(more) : null;
  const isLogged = isNew || more > 0n || edits !== null;
  return (await ctx.db.row<Order>(sql`
    WITH o AS (
      UPDATE orders SET status = ${status}, total = ${total}::numeric, subtotal = ${after.subtotal}::numeric,
        discount_total = ${after.discount_total}::numeric, discounts = ${JSON.stringify(after.discounts)}::jsonb,
        shipping_total = ${after.shipping_total}::numeric, shipping = ${after.shipping}::jsonb,
        tax_total = ${after.tax_total}::numeric, taxes = ${JSON.stringify(after.taxes)}::jsonb,
        prices_include_tax = ${after.prices_include_tax},
        price_choices = coalesce(${fields.price_choices ?? null}::jsonb, price_choices),
        paid_total = ${after.paid_total}::numeric, refunded_total = ${refunded_total}::numeric,
        payment_method = ${after.payment_method}, shipping_address = ${shipping_address}::jsonb,
        billing_address = ${billing_address}::jsonb, note = ${note}, metadata = ${after.metadata}::jsonb,
        external_ids = ${after.external_ids}::jsonb, placed_at = ${placed_at},
        fulfillment_status = ${after.fulfillment_status}, updated_at = ${ctx.now()}
      WHERE id = ${id} RETURNING *),
    logged AS (
      INSERT INTO order_history (id, order_id, status, previous_status, refunded, changes, reason, user_id, at)
      SELECT ${ctx.newId()}::uuid, id, status, ${current.status}, ${refunded}::numeric, ${edits}::jsonb, ${reason},
        ${ctx.userId ?? null}::bigint, updated_at
      FROM o WHERE ${isLogged})
    SELECT ${columns} FROM o`)) as Order;
}

/** Items keep their rows where their ids stay: shipments and refunds name them. */
async function replaceItems(ctx: Ctx, { id }: Order, items: readonly ItemRow[]): Promise<void> {
  const kept = items.map((item) => item.id);
  await ctx.db.run(sql`DELETE FROM order_items WHERE order_id = ${id} AND id <> ALL(${kept}::uuid[])`);
  await ctx.db.run(sql`
    INSERT INTO order_items (order_id, ${itemColumns})
    SELECT ${id}, ${itemColumns} FROM jsonb_populate_recordset(NULL::order_items, ${JSON.stringify(items)}::jsonb)
    ON CONFLICT (id) DO UPDATE SET (${itemColumns}) = ROW (${excludedColumns})`);
}

const excludedColumns = sql`excluded.id, excluded.position, excluded.name, excluded.sku, excluded.quantity, excluded.price,
  excluded.product_id, excluded.variant_id, excluded.image_url, excluded.taxable, excluded.tax_class, excluded.tax_code, excluded.weight_grams, excluded.discount,
  excluded.discount_total, excluded.taxes, excluded.tax_total, excluded.subtotal, excluded.total`;
