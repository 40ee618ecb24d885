import { type Ctx, Issues, sql } from '@chowk/kit';
import { addProblems, findRefusals, pickChoices, type ReadCart, readCart } from './cart.ts';
import { columnsWith } from './columns.ts';
import { readContact } from './contact.ts';
import { fail } from './errors.ts';
import { paymentChanges } from './history.ts';
import { addressToStore, maskOrder } from './masking.ts';
import { followStock } from './order-stock.ts';
import { paymentNames } from './payment-rows.ts';
import type { OrderPayment } from './payment-schemas.ts';
import { planDefaultPayment, planPayments, sumPaid } from './plan-payments.ts';
import { isFreeText, type PricedOrder, priceOrder } from './price-order.ts';
import { recordNewOrder } from './record-shipment.ts';
import { mustBeAllowed } from './rules.ts';
import { type ItemRow, itemColumns, itemRecords } from './save.ts';
import type { NewOrder, Order, OrderContact } from './schemas.ts';
import { whileUnique } from './unique-ids.ts';

export function checkNewOrder(ctx: Ctx, input: Partial<NewOrder>, issues: Issues): Promise<ReadCart | undefined> {
  return check(ctx, input, issues, findRefusals);
}

/** A draft may have products that are not active yet. */
export function checkNewDraft(ctx: Ctx, input: Partial<NewOrder>, issues: Issues): Promise<ReadCart | undefined> {
  return check(ctx, input, issues, () => []);
}

async function check(
  ctx: Ctx,
  input: Partial<NewOrder>,
  issues: Issues,
  findProblems: typeof findRefusals,
): Promise<ReadCart | undefined> {
  if (input.status) mustBeAllowed(ctx, input.status);
  const cart = await readCart(ctx, input, issues);
  if (cart) addProblems(findProblems(cart.items), issues);
  // Only if there are other problems to report; otherwise finding the customer checks it.
  if (issues.any) {
    issues.addAll(await ctx.bus.callIfInstalled('customers.checkIdentity', { customer: customerInput(input) }));
  }
  return cart;
}

/** Locks customer, products and discounts before it takes a number, for which all other orders of the tenant wait. */
export async function createOrder(ctx: Ctx, input: NewOrder, cart: ReadCart | undefined): Promise<Order> {
  const { 'orders.number_prefix': prefix } = await ctx.settings();
  const customer = await ctx.bus.callIfInstalled('customers.findOrCreate', customerInput(input));
  if (!customer) throw fail('orders.no_customers');
  const { currency, trackStock } = cart as ReadCart;
  const priced = await priceOrder(ctx, {
    ...(cart as ReadCart),
    choices: pickChoices(input),
    total: input.total,
    address: input.shipping_address,
    customer_id: customer.id,
  });
  const payments = planNewPayments(ctx, { ...input, currency }, priced);
  const id = ctx.newId();
  const items = itemRecords(ctx, priced.items);
  const held = { id, status: input.status, track_stock: trackStock, items };
  const redemption = { order_id: id, customer_id: customer.id, codes: [...priced.codes] };
  await Promise.all([
    isFreeText(items) ? undefined : followStock(ctx, held),
    redemption.codes.length > 0 ? ctx.bus.callIfInstalled('pricing.redeem', redemption) : undefined,
  ]);
  const order = await insertOrder(ctx, {
    ...input,
    id,
    prefix,
    currency,
    items,
    priced,
    payments,
    track_stock: trackStock,
    customer_id: customer.id,
    contact: readContact(customer, input.customer),
  });
  await recordNewOrder(ctx, order);
  await ctx.emit('order.created', { order });
  for (const payment of payments) await ctx.emit('order.payment_added', { order, payment });
  return maskOrder(ctx, order);
}

/** Throws if something is wrong with the price or the payments, which can be checked only when it is known. */
function planNewPayments(
  ctx: Ctx,
  { status, currency, payment_method, payments }: Pick<NewOrder, 'status' | 'payment_method' | 'payments'> & Currency,
  { problems, money }: PricedOrder,
): OrderPayment[] {
  const issues = new Issues();
  addProblems(problems, issues);
  const sent = payments.map((payment, index) => ({ ...payment, path: `payments.${index}.` }));
  const planned = planPayments(ctx, { status, currency, due_total: money.total }, sent, issues);
  issues.throwIfAny();
  return [...planned, ...planDefaultPayment(ctx, { status, payment_method, total: money.total }, planned)];
}
type Currency = Pick<Order, 'currency'>;

export function customerInput({ customer, customer_id }: Pick<Partial<NewOrder>, 'customer' | 'customer_id'>) {
  return { ...(customer_id === undefined ? {} : { id: customer_id }), ...customer };
}

interface Row extends Omit<NewOrder, 'items' | 'customer' | 'payments'> {
  readonly id: string;
  readonly prefix: string;
  readonly customer_id: string;
  readonly currency: string;
  readonly items: readonly ItemRow[];
  readonly priced: PricedOrder;
  readonly payments: readonly OrderPayment[];
  readonly track_stock: boolean;
  readonly contact: OrderContact;
}

/** One statement for number, order, items and history, so that a failure leaves no gap in the numbers. */
async function insertOrder(ctx: Ctx, row: Row): Promise<Order> {
  const { id, prefix, customer_id, status, currency, items, priced, note } = row;
  const { money } = priced;
  const now = ctx.now();
  const paid = sumPaid(row.payments);
  const refunded = status === 'refunded' ? paid : null;
  const changes = row.payments.length > 0 ? paymentChanges([], row.payments) : null;
  const address = addressToStore(ctx, row.shipping_address);
  const billing = addressToStore(ctx, row.billing_address);
  const insert = async () => {
    const [, order] = await Promise.all([waitForNumber(ctx), insertWithNumber()]);
    return order;
  };
  const insertWithNumber = () =>
    ctx.db.row<Order>(sql`
    WITH next AS (UPDATE order_numbers SET last = last + 1 RETURNING last),
    o AS (
      INSERT INTO orders (id, number, order_number, customer_id, status, currency, total, refunded_total, subtotal,
        discount_total, shipping_total, tax_total, paid_total, prices_include_tax, discounts, taxes, shipping, price_choices,
        track_stock, contact, shipping_address, billing_address, note, metadata, external_ids, payment_method, placed_at, created_at, updated_at)
      SELECT ${id}::uuid, last, ${prefix}::text || last, ${customer_id}::uuid, ${status}, ${currency},
        ${money.total}::numeric, coalesce(${refunded}::numeric, 0), ${money.subtotal}::numeric,
        ${money.discount_total}::numeric, ${money.shipping_total}::numeric, ${money.tax_total}::numeric,
        ${paid}::numeric, ${money.prices_include_tax}::boolean, ${JSON.stringify(money.discounts)}::jsonb,
        ${JSON.stringify(money.taxes)}::jsonb, ${money.shipping}::jsonb, ${pickChoices(row)}::jsonb,
        ${row.track_stock}::boolean, ${row.contact}::jsonb, ${address}::jsonb, ${billing}::jsonb, ${note},
        ${row.metadata}::jsonb, ${row.external_ids}::jsonb, ${row.payment_method},
        ${row.placed_at ?? now}::timestamptz, ${now}::timestamptz, ${now}::timestamptz
      FROM next RETURNING *),
    inserted AS (
      INSERT INTO order_items (order_id, ${itemColumns})
      SELECT o.id, n.* FROM o, LATERAL (SELECT ${itemColumns} FROM jsonb_populate_recordset(NULL::order_items, ${JSON.stringify(items)}::jsonb)) n
      RETURNING *),
    paid AS (
      INSERT INTO order_payments (order_id, ${paymentNames})
      SELECT o.id, n.* FROM o, LATERAL (SELECT ${paymentNames} FROM jsonb_populate_recordset(NULL::order_payments, ${JSON.stringify(row.payments)}::jsonb)) n
      RETURNING *),
    refunded AS (
      INSERT INTO order_refunds (id, order_id, payment_id, amount, status, user_id, created_at)
      SELECT gen_random_uuid(), order_id, id, amount, 'succeeded', user_id, created_at
      FROM paid WHERE ${refunded !== null} AND status = 'succeeded'),
    logged AS (
      INSERT INTO order_history (id, order_id, status, refunded, changes, user_id, at)
      SELECT ${ctx.newId()}::uuid, id, status, ${refunded}::numeric, ${changes}::jsonb, ${ctx.userId ?? null}::bigint,
        ${now}::timestamptz
      FROM o)
    SELECT ${columnsWith(sql`inserted`)} FROM o`);
  return (await whileUnique(insert)) as Order;
}

/** In the order of arrival: PostgreSQL would wake all who wait for the row itself after each order. */
function waitForNumber(ctx: Ctx): Promise<number> {
  ctx.db.releaseLocksEarly();
  return ctx.db.run(sql`SELECT pg_advisory_xact_lock(hashtext('order_numbers'))`);
}
