import {
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

/** A discount of an item or of the whole order that needs no code. */
export const OrderDiscountInput = NamedObject('OrderDiscountInput', {
  title: Default(Line(255, { examples: ['Regular customer'] }), 'Discount'),
  kind: Type.Enum(['percent', 'fixed'], { description: 'Whether `value` is a percentage or an amount.' }),
  value: { ...MoneyInput, description: 'A percentage of at most 100, or an amount.', examples: ['10'] },
});
export type OrderDiscountInput = Static<typeof OrderDiscountInput>;

const TaxClass = Line(50, { pattern: '^[a-z0-9][a-z0-9_-]*$', examples: ['standard'] });

export const NewOrderItem = NamedObject('NewOrderItem', {
  variant_id: Type.Optional({
    ...Uuid,
    description:
      'The variant that is sold. Without it, the SKU names the variant; without both, the item is free text. Only products that are ' +
      '`active` can be ordered, unless the order does not track stock.',
  }),
  sku: Default(NullableLine(64, { examples: ['TEA-250'] }), null),
  name: Type.Optional(
    Line(255, { description: "Default: the title of the variant's product.", examples: ['Green tea, 250 g'] }),
  ),
  quantity: Type.Integer({ minimum: 1, maximum: 1_000_000, examples: [2] }),
  price: Type.Optional({ ...MoneyInput, description: "The price of one unit. Default: the variant's." }),
  discount: Type.Optional(OrderDiscountInput),
  taxable: Type.Optional(Type.Boolean({ description: 'Default: as the variant, else true.' })),
  tax_class: Type.Optional({
    ...TaxClass,
    description: 'Lowercase letters, digits, hyphens and underscores. Default: as the variant, else `standard`.',
  }),
  tax_code: Type.Optional(
    NullableLine(20, {
      description: 'The code of the goods, such as HSN. Default: as the variant.',
      examples: ['0902'],
    }),
  ),
});
export type NewOrderItem = Static<typeof NewOrderItem>;

/** Validation applies no default in a field that may be null. */
const OrderItemDiscountInput = NamedObject(
  'OrderItemDiscountInput',
  {
    ...OrderDiscountInput.properties,
    title: Type.Optional(Line(255, { description: 'Default: Discount.', examples: ['Regular customer'] })),
  },
  { graphqlType: 'OrderDiscountInput' },
);

export const OrderItemChange = NamedObject('OrderItemChange', {
  id: Type.Optional({ ...Uuid, description: 'An item of the order that is kept or changed.' }),
  ...NewOrderItem.properties,
  discount: Type.Optional({
    ...Nullable(OrderItemDiscountInput),
    description: 'Null removes the discount of an item that is kept.',
  }),
});
export type OrderItemChange = Static<typeof OrderItemChange>;

export const OrderTax = NamedObject('OrderTax', {
  name: Type.String({ examples: ['CGST'] }),
  rate: Nullable(Type.String({ description: 'Percent; null if only the amount is known.', examples: ['9.00'] })),
  amount: Money,
});

/** An item as it is stored. */
export const OrderItem = NamedObject('OrderItem', {
  id: Uuid,
  name: Type.String({ examples: ['Green tea, 250 g'] }),
  sku: Nullable(Type.String({ examples: ['TEA-250'] })),
  quantity: Type.Integer({ examples: [2] }),
  price: Money,
  product_id: Nullable(Uuid),
  variant_id: Nullable(Uuid),
  image_url: Nullable(Type.String()),
  taxable: Type.Boolean(),
  tax_class: Type.String({ examples: ['standard'] }),
  tax_code: Nullable(Type.String({ examples: ['0902'] })),
  weight_grams: Nullable(Type.Integer()),
  discount: Nullable(NamedObject('OrderItemDiscount', OrderDiscountInput.properties)),
  subtotal: { ...Money, description: 'Quantity times price.' },
  discount_total: Money,
  tax_total: Money,
  taxes: Type.Array(OrderTax),
  total: { ...Money, description: 'With discounts and taxes.' },
  shipped_quantity: Type.Integer({ description: 'Units that have been shipped.', examples: [0] }),
});
export type OrderItem = Static<typeof OrderItem>;

export const OrderDiscount = NamedObject('OrderDiscount', {
  source: Type.Enum(['line', 'manual', 'code', 'given']),
  discount_id: Nullable(Uuid),
  code: Nullable(Type.String({ examples: ['WELCOME10'] })),
  title: Type.String(),
  amount: Money,
});

export const OrderShipping = NamedObject('OrderShipping', {
  rate_id: Nullable(Uuid),
  title: Type.String({ examples: ['Standard'] }),
  price: Money,
  discount_total: Money,
  tax_total: Money,
  taxes: Type.Array(OrderTax),
});
