import { type Ctx, type Issues, sql } from '@chowk/kit';
import { addProblems, findRefusals, pickChoices, readCart, sentChoices } from './cart.ts';
import type { OrderItem, OrderItemChange } from './item-schemas.ts';
import { type PriceProblem, priceOrder } from './price-order.ts';
import type { ResolvedItem } from './resolve-items.ts';
import { itemRecords, type OrderEdit } from './save.ts';
import type { Order, OrderChanges, PriceChoices } from './schemas.ts';

export interface PriceEdit {
  readonly fields: OrderEdit;
  /** The codes that the order uses then; `undefined` if they stay. */
  readonly codes?: readonly string[];
}

/** The new items and amounts of an order, if the changes affect them. Adds problems to the issues. */
export async function priceChanges(
  ctx: Ctx,
  current: Order,
  input: Partial<OrderChanges>,
  issues: Issues,
): Promise<PriceEdit | undefined> {
  const { currency, track_stock } = current;
  const { items: sentItems, ...others } = input;
  const items = sentItems && keepItems(current, sentItems, issues);
  const cart = await readCart(ctx, { ...others, ...(items ? { items } : {}), currency, track_stock }, issues);
  // A product of the order stays in it, whatever its status is now.
  const before = new Set(current.items.map(({ variant_id }) => variant_id));
  const added = cart?.items.filter(({ variant_id }) => !before.has(variant_id)) ?? [];
  addProblems(findRefusals(added), issues);
  const sent = sentChoices(input);
  if (issues.any || (items && !cart)) return input.total === undefined ? undefined : { fields: { total: input.total } };
  if (!items && Object.keys(sent).length === 0) return setTotal(current, input.total, issues);
  const choices = pickChoices({ ...(await readChoices(ctx, current.id)), ...sent });
  const priced = await priceOrder(ctx, {
    currency,
    items: cart?.items ?? current.items.map(asResolved),
    choices,
    total: input.total,
    address: input.shipping_address ?? current.shipping_address,
    customer_id: current.customer_id,
    order_id: current.id,
  });
  addProblems(withAdvice(priced.problems, sent), issues);
  return {
    fields: { items: itemRecords(ctx, priced.items), ...priced.money, price_choices: choices },
    codes: priced.codes,
  };
}

const advice: Readonly<Record<string, string>> = {
  discount_codes: 'Remove the code to save the order without its discount.',
  shipping_rate_id: 'Choose another rate, or set a price for the shipping.',
};

/** Codes and rates that the order has kept are not in the input: the messages say what to do about them. */
function withAdvice(problems: readonly PriceProblem[], sent: PriceChoices): PriceProblem[] {
  return problems.map(({ field, code, message }) => {
    const isKept = advice[field] !== undefined && !(field in sent);
    return { field, code, message: isKept ? `${message} ${advice[field]}` : message };
  });
}

/** A total without items: possible for free text, where it is the price that was agreed. */
function setTotal(current: Order, total: string | undefined, issues: Issues): PriceEdit | undefined {
  if (total === undefined || total === current.total) return undefined;
  if (current.items.some(({ variant_id }) => variant_id !== null)) {
    issues.add('total', `Items, discounts, shipping and taxes add up to ${current.total}.`, 'mismatch');
  }
  return { fields: { total } };
}

async function readChoices(ctx: Ctx, id: string): Promise<PriceChoices> {
  const row = await ctx.db.row<{ price_choices: PriceChoices }>(sql`SELECT price_choices FROM orders WHERE id = ${id}`);
  return row?.price_choices ?? {};
}

/** Items that are in the order keep their id, and what is not sent of them. */
function keepItems(
  { items }: Order,
  sent: readonly Partial<OrderItemChange>[],
  issues: Issues,
): Partial<OrderItemChange>[] {
  const named = new Set(sent.map(({ id }) => id));
  const unnamed = items.filter(({ id }) => !named.has(id));
  return sent.map((item, index) => {
    if (item.id !== undefined) {
      const known = items.find(({ id }) => id === item.id);
      if (!known) issues.add(`items.${index}.id`, `The order has no item ${item.id}.`, 'unknown');
      return known && isSameProduct(known, item) ? { ...pickKept(known), ...item } : item;
    }
    const at = unnamed.findIndex((known) => isSameItem(known, item));
    const [known] = at < 0 ? [] : unnamed.splice(at, 1);
    return known ? { ...pickKept(known), ...item, id: known.id } : item;
  });
}

function isSameProduct(known: OrderItem, { variant_id, sku }: Partial<OrderItemChange>): boolean {
  if (variant_id !== undefined) return known.variant_id === variant_id;
  return sku === undefined || sku === null || known.sku === sku;
}

function isSameItem(known: OrderItem, item: Partial<OrderItemChange>): boolean {
  if (item.variant_id !== undefined) return known.variant_id === item.variant_id;
  if (item.sku) return known.sku?.toLowerCase() === item.sku.toLowerCase();
  return known.sku === null && known.name === item.name;
}

function pickKept(item: OrderItem): Partial<OrderItemChange> {
  const { name, sku, price, taxable, tax_class, tax_code, variant_id, discount } = item;
  return {
    name,
    sku,
    price,
    taxable,
    tax_class,
    tax_code,
    ...(variant_id === null ? {} : { variant_id }),
    ...(discount ? { discount } : {}),
  };
}

function asResolved(item: OrderItem): ResolvedItem {
  return { ...item, available: null, continue_selling: false, refusal: null };
}
