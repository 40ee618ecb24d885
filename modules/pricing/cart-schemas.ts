import {
  Currency,
  Default,
  Line,
  Money,
  MoneyInput,
  NamedObject,
  Nullable,
  NullableLine,
  type Static,
  Type,
  Uuid,
} from '@chowk/kit';
import { DiscountKind } from './discount-schemas.ts';
import { TaxClass } from './tax-schemas.ts';

const NullableUuid = Nullable(Uuid);
const Grams = Type.Integer({ minimum: 0, maximum: 100_000_000, description: 'Grams.', examples: [250] });
const Title = Line(255, { examples: ['Regular customer'] });

const ManualDiscount = NamedObject('ManualDiscount', {
  title: Default(Title, 'Discount'),
  kind: Type.Enum(['percent', 'fixed'], { description: 'Whether `value` is a percentage or an amount.' }),
  value: { ...MoneyInput, description: 'A percentage of at most 100, or an amount.', examples: ['10'] },
});

export const CartLine = NamedObject('CartLine', {
  quantity: Type.Integer({ minimum: 1, maximum: 1_000_000, examples: [2] }),
  price: { ...MoneyInput, description: 'The price of one unit.' },
  product_id: Default(NullableUuid, null),
  variant_id: Default(NullableUuid, null),
  collection_ids: Default(
    Type.Array(Uuid, { maxItems: 250, description: 'Collections besides those that have the product.' }),
    [],
  ),
  taxable: Default(Type.Boolean(), true),
  tax_class: Default(TaxClass, 'standard'),
  weight: Default({ ...Grams, description: 'The weight of one unit in grams.' }, 0),
  discount: Type.Optional(ManualDiscount),
});
export type CartLine = Static<typeof CartLine>;

const optionalLine = Default(NullableLine(255), null);
const CartAddress = NamedObject('CartAddress', {
  country: Default(NullableLine(255, { description: 'The name or the ISO 3166 code.', examples: ['IN'] }), null),
  state: optionalLine,
});

export const Cart = NamedObject('Cart', {
  currency: Type.Optional({ ...Currency, description: "ISO 4217 code. Default: the tenant's currency." }),
  lines: Type.Array(CartLine, { minItems: 1, maxItems: 500, description: 'What is in the cart.' }),
  discounts: Default(
    Type.Array(ManualDiscount, { maxItems: 10, description: 'Discounts of the whole cart that need no code.' }),
    [],
  ),
  codes: Default(Type.Array(Line(64), { maxItems: 10, description: 'Discount codes.', examples: [['WELCOME10']] }), []),
  address: Type.Optional({
    ...CartAddress,
    description: 'The destination. Without a country, that of the shop (`general.country` and `pricing.state`).',
  }),
  customer_id: Default(NullableUuid, null),
  order_id: Default(
    {
      ...NullableUuid,
      description:
        'The order whose price is calculated again: the codes that it has used remain available to it, also after they have ended.',
    },
    null,
  ),
  shipping_rate_id: Default({ ...NullableUuid, description: 'One of `shipping_rates`.' }, null),
  shipping: Type.Optional({
    ...NamedObject('GivenShipping', { title: Default(Title, 'Shipping'), price: MoneyInput }),
    description: 'An amount of your own, instead of a shipping rate.',
  }),
});
export type Cart = Static<typeof Cart>;

const PricedTax = NamedObject('PricedTax', {
  name: Type.String({ examples: ['CGST'] }),
  rate: Type.String({ description: 'Percent.', examples: ['9.00'] }),
  amount: Money,
});

const charge = {
  discount_total: Money,
  taxes: Type.Array(PricedTax),
  tax_total: Money,
  total: { ...Money, description: 'With discounts and taxes.' },
};

const PricedLine = NamedObject('PricedLine', {
  subtotal: { ...Money, description: 'Quantity times price.' },
  ...charge,
});

const Allocation = NamedObject('DiscountAllocation', {
  line: Nullable(Type.Integer({ description: 'The position of the line, from 0; null for the shipping.' })),
  amount: Money,
});

const PricedDiscount = NamedObject('PricedDiscount', {
  source: Type.Enum(['line', 'manual', 'code']),
  discount_id: Nullable(Uuid),
  code: Nullable(Type.String()),
  title: Type.String(),
  kind: DiscountKind,
  value: Money,
  amount: Money,
  allocations: Type.Array(Allocation),
});
export type PricedDiscount = Static<typeof PricedDiscount>;

const PricedShipping = NamedObject('PricedShipping', {
  rate_id: Nullable(Uuid),
  title: Type.String(),
  price: Money,
  ...charge,
});

const ProblemCode = Type.Enum([
  'unknown',
  'inactive',
  'not_started',
  'expired',
  'used_up',
  'already_used',
  'not_combinable',
  'not_applicable',
  'minimum_subtotal',
  'minimum_quantity',
  'other_currency',
  'shipping_rate_unavailable',
]);
export type ProblemCode = Static<typeof ProblemCode>;

export const PricedCart = NamedObject('PricedCart', {
  currency: Type.String({ examples: ['INR'] }),
  prices_include_tax: Type.Boolean(),
  is_tax_exempt: Type.Boolean(),
  weight: { ...Grams, maximum: Number.MAX_SAFE_INTEGER },
  lines: Type.Array(PricedLine, { description: 'In the order of the cart.' }),
  subtotal: { ...Money, description: 'The sum of the lines, before discounts.' },
  discount_total: { ...Money, description: 'The sum of `discounts`, that of the shipping included.' },
  discounts: Type.Array(PricedDiscount, { description: 'In the order in which they were applied.' }),
  shipping_total: { ...Money, description: 'The price of the shipping, before discounts.' },
  shipping: Nullable(PricedShipping),
  tax_total: {
    ...Money,
    description: 'The taxes of lines and shipping. Contained in the total if `prices_include_tax`.',
  },
  taxes: Type.Array(PricedTax, { description: 'One entry for each name and rate.' }),
  total: {
    ...Money,
    description: '`subtotal` - `discount_total` + `shipping_total` and, unless `prices_include_tax`, + `tax_total`.',
  },
  shipping_rates: Type.Array(
    NamedObject('ShippingOffer', { id: Uuid, name: Type.String({ examples: ['Standard'] }), price: Money }),
    { description: 'The rates for the address, the cheapest first.' },
  ),
  problems: Type.Array(
    NamedObject('PricingProblem', {
      code: ProblemCode,
      discount_code: Nullable(Type.String()),
      message: Type.String(),
    }),
    { description: 'What was left out of the price, and why.' },
  ),
});
export type PricedCart = Static<typeof PricedCart>;
