import {
  Default,
  extend,
  Line,
  MoneyInput,
  NullableLine,
  NullableMoneyInput,
  named,
  outputFields,
  type Static,
  TextMap,
  Timestamp,
  Type,
  Uuid,
  updateSchema,
} from '@chowk/kit';

export const maxStock = 2_147_483_647;

export const ExternalIds = TextMap(50, Line(255, { examples: ['7712'] }), {
  description: 'Ids on other platforms. No two records have the same id on one platform.',
  examples: [{ shopify: '7712' }],
});
export const Metadata = TextMap(100, Type.String({ maxLength: 5_000, pattern: '^[^\\0\\p{Cs}]*$' }), {
  description: 'Texts of your own.',
  examples: [{ supplier: 'Nilgiri Estates' }],
});
export const Slug = Type.String({
  maxLength: 100,
  pattern: '^[a-z0-9]+(?:-[a-z0-9]+)*$',
  description: 'For web addresses: lower-case letters, digits and hyphens. Derived from the title if absent.',
  examples: ['green-tea'],
});
export const Stock = Type.Integer({ minimum: 0, maximum: maxStock, description: 'Units on hand.' });

const OptionValue = Line(100, { examples: ['250 g'] });
export const ProductOption = named(
  'ProductOption',
  Type.Object({
    name: Line(50, { examples: ['Size'] }),
    values: Default(Type.Array(OptionValue, { maxItems: 250, distinct: true }), []),
  }),
);
export type ProductOption = Static<typeof ProductOption>;
export const maxOptions = 3;
export const maxVariants = 250;

const variantFields = {
  options: Default(
    Type.Record(Type.String({ maxLength: 50 }), OptionValue, {
      maxProperties: maxOptions,
      description: "Its value of each of the product's options, by the name of the option.",
      examples: [{ Size: '250 g' }],
    }),
    {},
  ),
  compare_at_price: Default(NullableMoneyInput, null),
  barcode: Default(NullableLine(100, { examples: ['8901030865237'] }), null),
  weight_grams: Default(
    Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 0, maximum: 100_000_000 }),
    null,
  ),
  image_id: Default(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      format: 'uuid',
      description: 'One of the images of the product.',
    }),
    null,
  ),
  continue_selling: Default(Type.Boolean({ description: 'Whether it is sold when it is out of stock.' }), false),
  taxable: Default(Type.Boolean(), true),
  tax_class: Default(
    Line(50, {
      pattern: '^[a-z0-9][a-z0-9_-]*$',
      description: 'Lowercase letters, digits, hyphens and underscores. The tax rates of this class apply to it.',
      examples: ['standard'],
    }),
    'standard',
  ),
  tax_code: Default(
    NullableLine(20, { description: 'The code of the goods on invoices, such as HSN.', examples: ['0902'] }),
    null,
  ),
  metadata: Default(Metadata, {}),
  external_ids: Default(ExternalIds, {}),
};

/** The fields of a variant that a merchant sets, except the stock. */
export const VariantFields = Type.Object({
  sku: Line(64, { examples: ['TEA-250'] }),
  price: MoneyInput,
  ...variantFields,
});
export type VariantFields = Static<typeof VariantFields>;

export const NewVariant = named(
  'NewVariant',
  extend(VariantFields, {
    sku: Type.Optional(Line(64, { description: "Default: the product's SKU with a number.", examples: ['TEA-250'] })),
    price: Type.Optional({ ...MoneyInput, description: "Default: the product's price." } as typeof MoneyInput),
    stock: Default(Stock, 0),
  }),
);
export type NewVariant = Static<typeof NewVariant>;

const variantChanges = updateSchema(extend(VariantFields, { stock: Stock }));
export const VariantChanges = named('VariantChanges', extend(variantChanges, { id: Uuid, variant: Uuid }));
export type VariantChanges = Static<typeof VariantChanges>;

/** A variant in the list of a product: one that exists, by its id or SKU, or a new one. */
export const SentVariant = named(
  'SentVariant',
  extend(variantChanges, {
    id: Type.Optional(Type.String({ format: 'uuid', description: 'The id of an existing variant.' })),
  }),
);
export type SentVariant = Static<typeof SentVariant>;

export const Variant = named(
  'ProductVariant',
  Type.Object({
    id: Uuid,
    product_id: Uuid,
    position: Type.Integer({ description: '1 is the first.' }),
    title: Type.String({ description: 'The values of its options.', examples: ['250 g / Green'] }),
    ...outputFields(VariantFields),
    options: Type.Record(Type.String(), Type.String(), { examples: [{ Size: '250 g' }] }),
    stock: Type.Integer({ description: 'Units on hand.' }),
    reserved: Type.Integer({ description: 'Units that are reserved.' }),
    available: Type.Integer({ description: 'Units that can be sold. Below zero if more are sold than there are.' }),
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
);
export type Variant = Static<typeof Variant>;
