import { type Ctx, fromCents, type Issues, toCents } from '@chowk/kit';
import { addUp, maxTotal, multiply } from './amounts.ts';
import type { ResolvedItem } from './resolve-items.ts';
import type { OrderMoney, PriceChoices } from './schemas.ts';

interface PricedAmounts {
  readonly subtotal: string;
  readonly discount_total: string;
  readonly tax_total: string;
  readonly taxes: OrderMoney['taxes'];
  readonly total: string;
}
export type PricedItem = ResolvedItem & PricedAmounts;

export interface PricedOrder {
  readonly items: readonly PricedItem[];
  readonly money: OrderMoney;
  /** The codes that were applied. */
  readonly codes: readonly string[];
  readonly shipping_rates: readonly { readonly id: string; readonly name: string; readonly price: string }[];
  readonly problems: readonly PriceProblem[];
}

export interface PriceProblem {
  readonly field: string;
  readonly code: string;
  readonly message: string;
}

export interface Cart {
  readonly currency: string;
  readonly items: readonly ResolvedItem[];
  readonly choices: PriceChoices;
  /** A given total. */
  readonly total?: string | undefined;
  readonly address?: { readonly country?: string | null; readonly state?: string | null } | null | undefined;
  readonly customer_id?: string | undefined;
  readonly order_id?: string | undefined;
}

export const isFreeText = (items: readonly Pick<ResolvedItem, 'variant_id'>[]) =>
  items.every(({ variant_id }) => variant_id === null);

/**
 * Prices the items by the rules of the tenant; orders that were priced elsewhere keep the amounts that were given. A total that
 * differs is a problem, except of free text.
 */
export async function priceOrder(ctx: Ctx, cart: Cart): Promise<PricedOrder> {
  const priced = (isPricedElsewhere(cart) ? null : await priceByRules(ctx, cart)) ?? priceAsGiven(cart);
  const { total } = cart;
  const calculated = priced.money.total;
  if (total === undefined || total === calculated) return checkTotal(priced);
  const applied = { ...priced, money: { ...priced.money, total } };
  if (isFreeText(cart.items)) return checkTotal(applied);
  const message = `Items, discounts, shipping and taxes add up to ${calculated}.`;
  return { ...applied, problems: [...priced.problems, { field: 'total', code: 'mismatch', message }] };
}

function checkTotal(priced: PricedOrder): PricedOrder {
  if (toCents(priced.money.total) <= toCents(maxTotal)) return priced;
  return { ...priced, problems: [...priced.problems, tooExpensive] };
}

const tooExpensive: PriceProblem = {
  field: 'total',
  code: 'too_large',
  message: `The items must cost at most ${maxTotal} together.`,
};

/** The items alone; discounts and taxes are not known before the customer is. */
export function checkSubtotal(items: readonly ResolvedItem[], { currency, total }: CartTotal, issues: Issues): void {
  if (total !== undefined && isFreeText(items)) return;
  const subtotal = items.reduce((sum, { price, quantity }) => sum + multiply(price, quantity, currency), 0n);
  if (subtotal > toCents(maxTotal, currency)) issues.add('total', tooExpensive.message, 'too_large');
}
type CartTotal = Pick<Cart, 'currency' | 'total'>;

function isPricedElsewhere(cart: Cart): boolean {
  const { discount_total, shipping_total, tax_total, ...others } = cart.choices;
  if ([discount_total, shipping_total, tax_total].some((amount) => amount !== undefined)) return true;
  return cart.total !== undefined && isFreeText(cart.items) && Object.values(others).every(isNothing);
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

async function priceByRules(ctx: Ctx, cart: Cart): Promise<PricedOrder | null> {
  const { currency, items, choices, address, customer_id, order_id } = cart;
  const { discount_codes: codes = [], discounts = [], shipping_rate_id = null, shipping } = choices;
  const priced = await ctx.bus.callIfInstalled('pricing.price', {
    currency,
    lines: items.map(({ quantity, price, product_id, variant_id, taxable, tax_class, weight_grams, discount }) => ({
      quantity,
      price,
      product_id,
      variant_id,
      taxable,
      tax_class,
      weight: weight_grams ?? 0,
      ...(discount ? { discount } : {}),
    })),
    codes,
    discounts,
    shipping_rate_id,
    ...(shipping ? { shipping: { title: shipping.title ?? 'Shipping', price: shipping.price } } : {}),
    ...(address ? { address: { country: address.country ?? null, state: address.state ?? null } } : {}),
    customer_id: customer_id ?? null,
    order_id: order_id ?? null,
  });
  if (!priced) return null;
  const { subtotal, discount_total, shipping_total, tax_total, taxes, prices_include_tax, total } = priced;
  return {
    items: items.map((item, index) => ({ ...item, ...(priced.lines[index] as PricedAmounts) })),
    money: {
      subtotal,
      discount_total,
      discounts: priced.discounts.map(({ source, discount_id, code, title, amount }) => {
        return { source, discount_id, code, title, amount };
      }),
      shipping_total,
      shipping: priced.shipping && withoutTotal(priced.shipping),
      tax_total,
      taxes,
      prices_include_tax,
      total,
    },
    codes: priced.discounts.flatMap(({ code }) => (code === null ? [] : [code])),
    shipping_rates: priced.shipping_rates,
    problems: priced.problems.map(({ code, message }) => {
      return { field: code === 'shipping_rate_unavailable' ? 'shipping_rate_id' : 'discount_codes', code, message };
    }),
  };
}

function withoutTotal<Shipping extends { readonly total: string }>({ total: _, ...shipping }: Shipping) {
  return shipping;
}

/** For orders that were priced elsewhere, and for tenants without the pricing module. */
function priceAsGiven({ currency, items, choices }: Cart): PricedOrder {
  const { discount_total, shipping_total, tax_total, shipping } = choices;
  const units = (amount: string | undefined) => (amount === undefined ? 0n : toCents(amount, currency));
  const money = (cents: bigint) => fromCents(cents, currency);
  const none = money(0n);
  const subtotals = items.map(({ price, quantity }) => multiply(price, quantity, currency));
  const sums = {
    subtotal: subtotals.reduce((sum, amount) => sum + amount, 0n),
    discount: units(discount_total),
    shipping: units(shipping_total ?? shipping?.price),
    tax: units(tax_total),
  };
  const total = addUp(sums);
  const taxes = sums.tax === 0n ? [] : [{ name: 'Tax', rate: null, amount: money(sums.tax) }];
  const discount = { source: 'given' as const, discount_id: null, code: null, title: 'Discount' };
  const ship = {
    rate_id: null,
    title: shipping?.title ?? 'Shipping',
    discount_total: none,
    tax_total: none,
    taxes: [],
  };
  const isTooMuch = total < 0n;
  return {
    items: items.map((item, index) => {
      const subtotal = money(subtotals[index] as bigint);
      return { ...item, subtotal, discount_total: none, tax_total: none, taxes: [], total: subtotal };
    }),
    money: {
      subtotal: money(sums.subtotal),
      discount_total: money(sums.discount),
      discounts: sums.discount === 0n ? [] : [{ ...discount, amount: money(sums.discount) }],
      shipping_total: money(sums.shipping),
      shipping: sums.shipping === 0n ? null : { ...ship, price: money(sums.shipping) },
      tax_total: money(sums.tax),
      taxes,
      prices_include_tax: false,
      total: money(isTooMuch ? 0n : total),
    },
    codes: [],
    shipping_rates: [],
    problems: isTooMuch
      ? [
          {
            field: 'discount_total',
            code: 'too_large',
            message: 'The discount must not exceed items, shipping and taxes.',
          },
        ]
      : [],
  };
}

/** Amounts have no more decimals than their currency, and percentages are at most 100. */
export function checkAmounts(
  {
    total,
    discount_total,
    shipping_total,
    tax_total,
    shipping,
    discounts = [],
  }: PriceChoices & {
    readonly total?: string;
  },
  items: readonly { readonly price?: string; readonly discount?: PriceDiscount }[],
  currency: string,
  issues: Issues,
): void {
  const prices = Object.fromEntries(items.map(({ price }, index) => [`items.${index}.price`, price]));
  const amounts = { total, discount_total, shipping_total, tax_total, 'shipping.price': shipping?.price, ...prices };
  for (const [field, amount] of Object.entries(amounts)) issues.checkDecimals(field, amount, currency);
  const check = (path: string, discount: PriceDiscount) => checkDiscount(path, discount, currency, issues);
  for (const [index, discount] of discounts.entries()) check(`discounts.${index}.value`, discount);
  for (const [index, { discount }] of items.entries()) check(`items.${index}.discount.value`, discount);
}

type PriceDiscount = { readonly kind?: string; readonly value?: string } | null | undefined;

function checkDiscount(field: string, discount: PriceDiscount, currency: string, issues: Issues): void {
  if (!discount?.value) return;
  if (discount.kind === 'fixed') issues.checkDecimals(field, discount.value, currency);
  if (discount.kind === 'percent' && toCents(discount.value) > 10_000n) {
    issues.add(field, 'A percentage is at most 100.', 'too_large');
  }
}
