import { type Static, toCents } from '@chowk/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileBody } from '../../server/src/schemas/validation.ts';
import { Cart, type PricedCart } from './cart-schemas.ts';
import corpus from './carts.json' with { type: 'json' };
import { priceCart } from './price-cart.ts';
import type { PricingRules } from './rules.ts';

const fillDefaults = compileBody(Cart);

/** A cart as an action gets it, with defaults and normalized amounts. */
function readCart(input: object) {
  const cart = structuredClone(input) as Static<typeof Cart> & { currency: string };
  expect(fillDefaults(cart)).toBeUndefined();
  return cart;
}

const baseRules = {
  discounts: corpus.discounts.map((discount) => ({ id: discount.code, ...discount })),
  taxRates: corpus.taxRates,
  zones: corpus.zones,
  pricesIncludeTax: false,
  taxShipping: true,
  isTaxExempt: false,
} as unknown as PricingRules;

interface Example {
  readonly name: string;
  readonly working: string;
  readonly cart: { readonly currency: string };
  readonly rules: Partial<PricingRules> & { readonly shop?: string };
  readonly expected: Partial<PricedCart> & Extras;
}
interface Extras {
  readonly problems?: readonly string[];
  readonly line_totals?: readonly string[];
  readonly tax_amounts?: readonly string[];
}

describe('the totals that were worked out by hand', () => {
  test.each(corpus.carts as unknown as Example[])('$name: $working', ({ cart, rules, expected }) => {
    const { shop = cart.currency, ...changes } = rules;
    const priced = priceCart(readCart(cart), { ...baseRules, currency: shop, ...changes });
    const { problems = [], line_totals, tax_amounts, ...totals } = expected;
    expect(priced).toMatchObject(totals);
    expect(priced.problems.map(({ code }) => code)).toEqual(problems);
    if (line_totals) expect(priced.lines.map(({ total }) => total)).toEqual(line_totals);
    if (tax_amounts) expect(priced.taxes.map(({ amount }) => amount)).toEqual(tax_amounts);
    expectToAddUp(priced);
  });
});

/** Lines, discounts, taxes and shipping add up to the totals, and nothing is negative. */
function expectToAddUp(priced: PricedCart): void {
  const { currency, lines, discounts, shipping, taxes } = priced;
  const units = (money: string) => toCents(money, currency);
  const sum = (amounts: readonly string[]) => amounts.reduce((total, amount) => total + units(amount), 0n);
  const all = [...lines, ...(shipping ? [{ ...shipping, subtotal: shipping.price }] : [])];
  const added = priced.prices_include_tax ? 0n : units(priced.tax_total);
  expect(sum(lines.map(({ subtotal }) => subtotal))).toBe(units(priced.subtotal));
  expect(sum(discounts.map(({ amount }) => amount))).toBe(units(priced.discount_total));
  expect(sum(all.map(({ discount_total }) => discount_total))).toBe(units(priced.discount_total));
  expect(sum(taxes.map(({ amount }) => amount))).toBe(units(priced.tax_total));
  expect(sum(all.map(({ tax_total }) => tax_total))).toBe(units(priced.tax_total));
  expect(sum(all.map(({ total }) => total))).toBe(units(priced.total));
  expect(units(priced.subtotal) - units(priced.discount_total) + units(priced.shipping_total) + added).toBe(
    units(priced.total),
  );
  for (const { amount, allocations } of discounts)
    expect(sum(allocations.map((part) => part.amount))).toBe(units(amount));
  for (const [index, line] of lines.entries()) {
    const own = discounts.flatMap(({ allocations }) => allocations).filter(({ line }) => line === index);
    expect(sum(own.map(({ amount }) => amount))).toBe(units(line.discount_total));
  }
  for (const { subtotal, discount_total, taxes, tax_total, total } of all) {
    const lineTax = priced.prices_include_tax ? 0n : units(tax_total);
    expect(sum(taxes.map(({ amount }) => amount))).toBe(units(tax_total));
    expect(units(subtotal) - units(discount_total) + lineTax).toBe(units(total));
  }
  expect(JSON.stringify(priced)).not.toMatch(/"-/);
}

const thousandths = (max: number) =>
  fc.integer({ min: 0, max }).map((value) => (value / 1_000).toFixed(3).replace(/(?<=\.\d\d)0$/, ''));
const manual = fc.oneof(
  fc.record({ title: fc.constant('Manual'), kind: fc.constant('percent'), value: thousandths(100_000) }),
  fc.record({ title: fc.constant('Manual'), kind: fc.constant('fixed'), value: thousandths(200_000) }),
);
const ids = (corpus.discounts as { target_ids: string[] }[]).flatMap(({ target_ids }) => target_ids);
const lineInput = fc.record(
  {
    quantity: fc.integer({ min: 1, max: 50 }),
    // Equal prices have equal shares of a discount.
    price: fc.oneof(fc.constantFrom('0.05', '1.00'), thousandths(100), thousandths(99_999_999)),
    taxable: fc.boolean(),
    tax_class: fc.constantFrom('standard', 'reduced', 'gst-5'),
    weight: fc.nat(800),
    product_id: fc.constantFrom(null, ...ids),
    variant_id: fc.constantFrom(null, ...ids),
    collection_ids: fc.subarray(ids),
    discount: manual,
  },
  { requiredKeys: ['quantity', 'price'] },
);
const cartInput = fc.record(
  {
    currency: fc.constantFrom('INR', 'JPY', 'KWD'),
    lines: fc.array(lineInput, { minLength: 1, maxLength: 8 }),
    discounts: fc.array(manual, { maxLength: 3 }),
    codes: fc.uniqueArray(fc.constantFrom(...corpus.discounts.map(({ code }) => code), 'NOPE'), { maxLength: 4 }),
    address: fc.constantFrom(
      { country: 'IN', state: 'MH' },
      { country: 'IN', state: 'KA' },
      { country: 'DE', state: null },
      { country: 'US', state: 'NY' },
    ),
    shipping: fc.option(fc.record({ title: fc.constant('Courier'), price: thousandths(99_999) }), { nil: undefined }),
    shipping_rate_id: fc.constantFrom(null, ...corpus.zones.flatMap(({ rates }) => rates.map(({ id }) => id))),
  },
  { requiredKeys: ['currency', 'lines'] },
);
const rate = fc.record({
  name: fc.constantFrom('A', 'B', 'C'),
  country: fc.constantFrom('IN', 'DE'),
  state: fc.constantFrom(null, 'MH'),
  tax_class: fc.constantFrom('standard', 'reduced'),
  rate: fc.integer({ min: 0, max: 1_000_000 }).map((value) => (value / 10_000).toFixed(4)),
  priority: fc.integer({ min: 1, max: 2 }),
  includes_shipping: fc.boolean(),
});
const ruleChanges = fc.record(
  {
    pricesIncludeTax: fc.boolean(),
    taxShipping: fc.boolean(),
    isTaxExempt: fc.boolean(),
    taxRates: fc.array(rate, { maxLength: 6 }),
    currency: fc.constantFrom('INR', 'JPY', 'KWD'),
  },
  { requiredKeys: ['currency'] },
);

test('lines, discounts, taxes and shipping of any cart add up to its total, and none is negative', () => {
  fc.assert(
    fc.property(cartInput, ruleChanges, (input, changes) => {
      expectToAddUp(priceCart(readCart(input), { ...baseRules, ...changes }));
    }),
    { numRuns: 500 },
  );
});

test('the order of the lines changes no total', () => {
  const shuffled = cartInput.chain((input) =>
    fc.tuple(fc.constant(input), fc.shuffledSubarray(input.lines, { minLength: input.lines.length })),
  );
  const totals = ({ subtotal, discount_total, shipping_total, tax_total, taxes, total }: PricedCart) => ({
    subtotal,
    discount_total,
    shipping_total,
    tax_total,
    taxes,
    total,
  });
  fc.assert(
    fc.property(shuffled, ruleChanges, ([input, lines], changes) => {
      const rules = { ...baseRules, ...changes };
      expect(totals(priceCart(readCart({ ...input, lines }), rules))).toEqual(
        totals(priceCart(readCart(input), rules)),
      );
    }),
    { numRuns: 300 },
  );
});

test('the cent that cannot be divided between two equal lines goes to the same one in any order', () => {
  const lines = [
    { quantity: 1, price: '0.29', tax_class: 'standard' },
    { quantity: 1, price: '0.29', tax_class: 'reduced' },
  ];
  const discounts = [{ kind: 'fixed', value: '0.01' }];
  const cart = { currency: 'EUR', address: { country: 'DE' }, discounts };
  const price = (ordered: object[]) =>
    priceCart(readCart({ ...cart, lines: ordered }), { ...baseRules, currency: 'EUR' }).tax_total;
  expect(price(lines.toReversed())).toBe(price(lines));
});

test('prices with taxes and the same prices without them agree to the rounding', () => {
  const prices = fc.array(fc.tuple(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 0, max: 10_000_000 })), {
    minLength: 1,
    maxLength: 8,
  });
  fc.assert(
    fc.property(prices, fc.constantFrom('MH', 'KA'), (lines, state) => {
      const rules = { ...baseRules, currency: 'INR' };
      const cart = (price: (hundredths: number) => string) =>
        readCart({
          currency: 'INR',
          address: { country: 'IN', state },
          lines: lines.map(([quantity, hundredths]) => ({ quantity, price: price(hundredths) })),
        });
      const net = priceCart(
        cart((hundredths) => (hundredths / 100).toFixed(2)),
        rules,
      );
      const gross = priceCart(
        cart((hundredths) => ((hundredths * 1.18) / 100).toFixed(3)),
        {
          ...rules,
          pricesIncludeTax: true,
        },
      );
      // A line: half a hundredth for itself and each of its taxes, and half a thousandth for each unit.
      const tolerance = lines.reduce((sum, [quantity]) => sum + 0.02 + quantity * 0.001, 0);
      expect(Math.abs(Number(gross.total) - Number(net.total))).toBeLessThan(tolerance);
      expect(Math.abs(Number(gross.tax_total) - Number(net.tax_total))).toBeLessThan(tolerance);
    }),
    { numRuns: 300 },
  );
});
