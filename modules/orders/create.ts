import { type Ctx, Failure, invalid, sql } from '@chowk/kit';
import { columns } from './columns.ts';
import { fail } from './errors.ts';
import { tellCreated } from './events.ts';
import { type Fields, type KeptItem, readFields } from './rules.ts';
import type { CustomerInput, NewOrder, Order, Status } from './schemas.ts';

interface NewFields extends Omit<Fields, 'placed_at'> {
  readonly status: Status;
  readonly customer_id: string;
  /** Absent: now. */
  readonly placed_at?: string;
  readonly prefix: string;
}

/** Makes an order of the customer that is meant, and the customer where there is none. */
export async function createOrder(ctx: Ctx, { status = 'pending', ...input }: NewOrder): Promise<Order> {
  const customer = { ...(input.customer_id ? { id: input.customer_id } : {}), ...input.customer };
  const settings = await ctx.settings();
  const fields = {
    currency: String(settings['general.currency']),
    shipping_address: null,
    note: null,
    ...(readFields(input) as Pick<Fields, 'items' | 'total'> & Partial<Fields>),
  };
  const prefix = String(settings['orders.number_prefix']);
  return ctx.tx(async (tx) => {
    const customer_id = await customerOf(tx, customer);
    const order = await insertOrder(tx, { ...fields, status, customer_id, prefix });
    await tellCreated(tx, order);
    return order;
  });
}

/** The id of the customer, whom nobody merges or deletes until the transaction ends. */
async function customerOf(ctx: Ctx, { id, phone, email, first_name, last_name }: CustomerInput): Promise<string> {
  const customers = await ctx.helpers('customers');
  if (!customers) throw fail('orders.no_customers');
  try {
    const found = await customers.findOrCreate({
      id,
      phone: phone ?? undefined,
      email: email ?? undefined,
      first_name: first_name ?? undefined,
      last_name: last_name ?? undefined,
    });
    return found.id;
  } catch (error) {
    throw inCustomer(error);
  }
}

/** What is wrong with the customer, by the names that its fields have in an order. */
function inCustomer(error: unknown): unknown {
  if (!(error instanceof Failure) || !error.extras.errors) return error;
  const named = Object.entries(error.extras.errors).map(([field, messages]) => {
    return [field.startsWith('customer.') ? field : `customer.${field}`, messages] as const;
  });
  return invalid(Object.fromEntries(named));
}

/** The number, the order, its items and the first line of its history at once: whatever fails, no number is left out. */
async function insertOrder(ctx: Ctx, fields: NewFields): Promise<Order> {
  const { prefix, customer_id, status, currency, total, shipping_address, note, placed_at, items } = fields;
  const now = ctx.now();
  const refunded = status === 'refunded' ? total : null;
  return (await ctx.db.row<Order>(sql`
    WITH given AS (UPDATE order_numbers SET last = last + 1 RETURNING last),
    o AS (
      INSERT INTO orders (id, number, order_number, customer_id, status, currency, total, refunded_total,
        shipping_address, note, placed_at, created_at, updated_at)
      SELECT ${ctx.newId()}::uuid, last, ${prefix}::text || last, ${customer_id}::uuid, ${status}, ${currency},
        ${total}::numeric, coalesce(${refunded}::numeric, 0), ${asJson(shipping_address)}::jsonb, ${note},
        ${placed_at ?? now}::timestamptz, ${now}::timestamptz, ${now}::timestamptz
      FROM given RETURNING *),
    made AS (
      INSERT INTO order_items (id, order_id, position, name, sku, quantity, price)
      SELECT n.id, o.id, n.position, n.name, n.sku, n.quantity, n.price
      FROM o, jsonb_populate_recordset(NULL::order_items, ${itemRows(ctx, items)}::jsonb) n RETURNING *),
    logged AS (
      INSERT INTO order_history (id, order_id, status, refunded, user_id, at)
      SELECT ${ctx.newId()}::uuid, id, status, ${refunded}::numeric, ${ctx.userId ?? null}::bigint, ${now}::timestamptz
      FROM o)
    SELECT ${columns(sql`made`)} FROM o`)) as Order;
}

/** Items as rows of `order_items`, in JSON. */
export function itemRows(ctx: Ctx, items: readonly KeptItem[]): string {
  return JSON.stringify(items.map((item, position) => ({ ...item, id: ctx.newId(), position })));
}

export function asJson(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}
