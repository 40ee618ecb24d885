import { fromCents, toCents } from '@chowk/kit';
import { divideHalfUp, parseDecimal, sum } from './amounts.ts';
import { type AppliedDiscount, applyDiscounts, type Problem } from './apply-discounts.ts';
import type { Cart, CartLine, PricedCart } from './cart-schemas.ts';
import { type Charge, chargeTaxes, ratesForRegion, type TaxAmount, withoutTaxes } from './cart-taxes.ts';
import { readRegion } from './regions.ts';
import type { PricingRules, TaxRule } from './rules.ts';
import { chooseShipping, offerRates } from './shipping-offers.ts';

/** The class of the rates that shipping is taxed with. */
const shippingClass = 'standard';

/**
 * Prices a cart: line discounts, then other discounts, then shipping, then taxes. All amounts are rounded, halves up, to the decimals
 * of the currency: each line, each discount of a line and each tax of a line once, so that they add up to the totals.
 */
export function priceCart(cart: Cart & { readonly currency: string }, rules: PricingRules): PricedCart {
  const { currency } = cart;
  const region = readRegion(cart.address);
  const rates = ratesForRegion(rules.taxRates, region);
  const shippingRates = rules.taxShipping ? ofClass(rates, shippingClass).filter((rate) => rate.includes_shipping) : [];
  // An exempt customer pays prices without the taxes that they include.
  const reduce = (amount: bigint, included: readonly TaxRule[]) =>
    rules.isTaxExempt && rules.pricesIncludeTax ? withoutTaxes(amount, included) : amount;
  const charge = (amount: bigint, applied: readonly TaxRule[]) =>
    chargeTaxes(amount, rules.isTaxExempt ? [] : applied, rules.pricesIncludeTax);

  const subtotals = cart.lines.map((line) => reduce(lineSubtotal(line, currency), lineRates(line, rates)));
  const { discounts, problems, left, freeShipping } = applyDiscounts(cart, rules, subtotals);
  const weight = cart.lines.reduce((grams, line) => grams + line.quantity * line.weight, 0);
  const offers =
    currency === rules.currency ? offerRates(rules.zones, region, { total: sum(left), weight, currency }) : [];
  const chosen = chooseShipping(cart, offers);
  const shipping = chosen.shipping && { ...chosen.shipping, price: reduce(chosen.shipping.price, shippingRates) };
  const shippingPrice = shipping?.price ?? 0n;
  if (freeShipping) discounts.push({ ...freeShipping, ...allOfShipping(shippingPrice) });

  const lines = cart.lines.map((line, index) => charge(left[index] as bigint, lineRates(line, rates)));
  const shippingCharge = charge(freeShipping ? 0n : shippingPrice, shipping ? shippingRates : []);
  return {
    currency,
    prices_include_tax: rules.pricesIncludeTax,
    is_tax_exempt: rules.isTaxExempt,
    weight,
    ...describeTotals({ currency, subtotals, discounts, shippingPrice, charges: [...lines, shippingCharge] }),
    lines: lines.map((line, index) => {
      const subtotal = subtotals[index] as bigint;
      const discount = subtotal - (left[index] as bigint);
      return { subtotal: fromCents(subtotal, currency), ...describeCharge(line, discount, currency) };
    }),
    discounts: discounts.map((discount) => describeDiscount(discount, currency)),
    shipping: shipping && {
      rate_id: shipping.rate_id,
      title: shipping.title,
      price: fromCents(shippingPrice, currency),
      ...describeCharge(shippingCharge, freeShipping ? shippingPrice : 0n, currency),
    },
    shipping_rates: offers.map(({ id, name, price }) => ({ id, name, price: fromCents(price, currency) })),
    problems: [...problems, ...chosen.problems].map(describeProblem),
  };
}

/** Prices of a unit may have more decimals than the currency; the line is rounded. */
function lineSubtotal({ quantity, price }: CartLine, currency: string): bigint {
  return divideHalfUp(BigInt(quantity) * parseDecimal(price, 3) * toCents('1', currency), 1_000n);
}

function lineRates({ taxable, tax_class }: CartLine, rates: readonly TaxRule[]): readonly TaxRule[] {
  return taxable ? ofClass(rates, tax_class) : [];
}

const ofClass = (rates: readonly TaxRule[], name: string) => rates.filter(({ tax_class }) => tax_class === name);

const allOfShipping = (amount: bigint) => ({ amount, allocations: [{ line: null, amount }] });

interface Totals {
  readonly currency: string;
  readonly subtotals: readonly bigint[];
  readonly discounts: readonly AppliedDiscount[];
  readonly shippingPrice: bigint;
  readonly charges: readonly Charge[];
}

function describeTotals({ currency, subtotals, discounts, shippingPrice, charges }: Totals) {
  const taxes = charges.flatMap((charge) => charge.taxes);
  return {
    subtotal: fromCents(sum(subtotals), currency),
    discount_total: fromCents(sum(discounts.map(({ amount }) => amount)), currency),
    shipping_total: fromCents(shippingPrice, currency),
    tax_total: fromCents(sum(taxes.map(({ amount }) => amount)), currency),
    taxes: describeTaxes(addUp(taxes), currency),
    total: fromCents(sum(charges.map(({ total }) => total)), currency),
  };
}

function describeCharge({ taxes, total }: Charge, discount: bigint, currency: string) {
  return {
    discount_total: fromCents(discount, currency),
    taxes: describeTaxes(taxes, currency),
    tax_total: fromCents(sum(taxes.map(({ amount }) => amount)), currency),
    total: fromCents(total, currency),
  };
}

function describeTaxes(taxes: readonly TaxAmount[], currency: string) {
  return taxes.map(({ name, rate, amount }) => ({ name, rate, amount: fromCents(amount, currency) }));
}

/** One entry for each name and rate. */
function addUp(taxes: readonly TaxAmount[]): TaxAmount[] {
  const groups = Map.groupBy(taxes, ({ name, rate }) => JSON.stringify([name, rate]));
  return [...groups.values()]
    .map((group) => ({ ...(group[0] as TaxAmount), amount: sum(group.map(({ amount }) => amount)) }))
    .sort((a, b) => a.name.localeCompare(b.name, 'en') || Number(a.rate) - Number(b.rate));
}

function describeDiscount({ amount, allocations, ...discount }: AppliedDiscount, currency: string) {
  return {
    ...discount,
    amount: fromCents(amount, currency),
    allocations: allocations.map((part) => ({ line: part.line, amount: fromCents(part.amount, currency) })),
  };
}

const messages: Readonly<Record<Problem['code'], string>> = {
  unknown: 'There is no discount code {discount_code}.',
  inactive: 'The discount code {discount_code} is not active.',
  not_started: 'The discount code {discount_code} cannot be used yet.',
  expired: 'The discount code {discount_code} has expired.',
  used_up: 'The discount code {discount_code} has been used as often as it can be.',
  already_used: 'The customer has already used the discount code {discount_code}.',
  not_combinable: 'The discount code {discount_code} cannot be combined with the one before it.',
  not_applicable: 'The discount code {discount_code} applies to none of the products.',
  minimum_subtotal: 'The discount code {discount_code} needs a subtotal of at least {minimum}.',
  minimum_quantity: 'The discount code {discount_code} needs at least {minimum} units.',
  other_currency: 'The discount code {discount_code} is only for orders in the currency of the shop.',
  shipping_rate_unavailable: 'The shipping rate is not available for this address, weight or total.',
};

function describeProblem({ minimum, ...problem }: Problem) {
  const values = { minimum, ...problem } as Record<string, unknown>;
  const message = messages[problem.code].replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]));
  return { ...problem, message };
}
