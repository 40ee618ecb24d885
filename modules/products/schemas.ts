import {
  Default,
  extend,
  Line,
  Money,
  MoneyInput,
  Nullable,
  NullableMoneyInput,
  named,
  outputFields,
  type Static,
  Tags,
  Timestamp,
  Type,
  UploadedFile,
  Uuid,
  updateSchema,
} from '@chowk/kit';
import {
  ExternalIds,
  Metadata,
  maxOptions,
  maxVariants,
  NewVariant,
  ProductOption,
  SentVariant,
  Slug,
  Stock,
  Variant,
} from './variant-schemas.ts';

export const Status = Type.Enum(['draft', 'active', 'archived'], {
  description: 'Only `active` products are for sale.',
});

// Excludes other schemes such as `javascript:`, `//host`, and variants that browsers accept.
const ImageUrl = Type.String({
  maxLength: 2_048,
  pattern: '^(?:https://|(?!//)(?![A-Za-z][A-Za-z0-9+.-]*:))[^\\s\\\\\\p{Cc}]+$',
  description: 'An https or a relative URL; required without `id`.',
  examples: ['/images/tea.jpg'],
});

const NewImage = named(
  'ProductImage',
  Type.Object({
    id: Type.Optional(
      Type.String({
        format: 'uuid',
        description: 'The id of an image of the product, or of one from `POST /product-images`.',
      }),
    ),
    url: Type.Optional(ImageUrl),
    alt: Type.Optional(Line(255, { minLength: 0 })),
  }),
);

export const maxImages = 20;
const Pixels = Type.Integer({ examples: [1600] });

const ImageSize = named('ProductImageSize', Type.Object({ url: Type.String(), width: Pixels, height: Pixels }));

export const ProductImage = named(
  'ProductImage',
  Type.Object({
    id: Uuid,
    url: Type.String({
      description: 'An https URL, or one relative to the platform. For an uploaded image, the URL of its largest size.',
      examples: ['/media/acme-stores/products/7d3b2c9e-5f0a-4c1d-8e2b-9a6f4d3c2b1a.webp'],
    }),
    alt: Type.String(),
    width: Nullable(Pixels),
    height: Nullable(Pixels),
    sizes: Type.Array(ImageSize, { description: 'The sizes of an uploaded image, the largest first.' }),
  }),
);
export type ProductImage = Static<typeof ProductImage>;

// CSV files separate categories by vertical bars.
const Categories = Type.Array(Line(100, { pattern: '^[^|\\p{Cc}\\p{Cs}]*$' }), { maxItems: 20, distinct: true });

export const NewProduct = named(
  'NewProduct',
  Type.Object({
    sku: Line(64, { examples: ['TEA-250'] }),
    title: Line(255, { examples: ['Green tea, 250 g'] }),
    description: Default(Type.String({ maxLength: 20_000, pattern: '^[^\\0\\p{Cs}]*$' }), ''),
    price: MoneyInput,
    compare_at_price: Default(NullableMoneyInput, null),
    status: Default(Status, 'active'),
    images: Default(Type.Array(NewImage, { maxItems: maxImages }), []),
    tags: Default(Tags, []),
    categories: Default(Categories, []),
    mandatory: Default(Type.Boolean(), false),
    stock: Default(Stock, 0),
    slug: Type.Optional(Slug),
    metadata: Default(Metadata, {}),
    external_ids: Default(ExternalIds, {}),
    options: Default(
      Type.Array(ProductOption, { maxItems: maxOptions, description: 'Values of variants are added.' }),
      [],
    ),
  }),
);
export type NewProduct = Static<typeof NewProduct>;

export const ProductChanges = named('ProductChanges', updateSchema(NewProduct));
export type ProductChanges = Static<typeof ProductChanges>;

/** A product with its variants, as callers send it. Without `variants`, it has one, with the product's SKU, price and stock. */
export const ProductInput = named(
  'NewProduct',
  extend(NewProduct, {
    variants: Type.Optional(
      Type.Array(NewVariant, {
        maxItems: maxVariants,
        description: 'Without it, the product has one variant, with its SKU, prices and stock.',
      }),
    ),
  }),
);
export type ProductInput = Static<typeof ProductInput>;

const ProductEdit = extend(ProductChanges, {
  variants: Type.Optional(
    Type.Array(SentVariant, {
      maxItems: maxVariants,
      description:
        'All variants in their order; others are removed. Those with an `id`, or the SKU of an existing one, are changed.',
    }),
  ),
});
export const ProductUpdate = named('ProductChanges', extend(ProductEdit, { id: Uuid }));
export type ProductUpdate = Static<typeof ProductUpdate>;

export const ProductByExternalId = named(
  'ProductChanges',
  extend(ProductEdit, {
    platform: Line(50, { examples: ['shopify'] }),
    external_id: Line(255, { examples: ['7712'] }),
  }),
);
export const ProductBySku = named('ProductBySku', extend(ProductEdit, { sku: NewProduct.properties.sku }));
/** Without an id, a new product. */
export const ProductItem = named('ProductItem', extend(ProductEdit, { id: Type.Optional(Uuid) }));

const {
  slug: _slug,
  options: _options,
  metadata: _metadata,
  external_ids: _externalIds,
  ...firstFields
} = outputFields(NewProduct);

/** A product without its variants. */
const record = Type.Object({
  id: Uuid,
  ...firstFields,
  sku: Type.String({ description: 'The SKU of its first variant.', examples: ['TEA-250'] }),
  price: { ...Money, description: 'The lowest of its variants.' } as typeof Money,
  images: Type.Array(ProductImage),
  reserved: Type.Integer({ description: 'Units on hand that are reserved.' }),
  available: Type.Integer({ description: 'Units that can be sold or reserved.' }),
  created_at: Timestamp,
  updated_at: Timestamp,
  slug: Type.String({ examples: ['green-tea'] }),
  price_max: { ...Money, description: 'The highest of its variants.' } as typeof Money,
  options: Type.Array(ProductOption),
  variant_count: Type.Integer(),
  metadata: Type.Record(Type.String(), Type.String()),
  external_ids: Type.Record(Type.String(), Type.String()),
});
export const ProductRecord = named('ProductRecord', record, { graphqlType: 'Product' });
export type ProductRecord = Static<typeof ProductRecord>;

export const Product = named('Product', extend(record, { variants: Type.Array(Variant) }));
export type Product = Static<typeof Product>;

export const NewUpload = named(
  'NewProductUpload',
  Type.Object({
    file: UploadedFile({ types: ['image/jpeg', 'image/png', 'image/webp'], maxBytes: 10 * 1024 * 1024 }),
    alt: Default(Line(255, { minLength: 0 }), ''),
  }),
);
export const NewImageUpload = named('NewProductImage', extend(NewUpload, { id: Uuid }));
export const ImageKey = Type.Object({ id: Uuid, image: Uuid });
export const ImageChanges = named(
  'ProductImageChanges',
  Type.Object({
    id: Uuid,
    image: Uuid,
    alt: Type.Optional(Line(255, { minLength: 0 })),
    position: Type.Optional(Type.Integer({ minimum: 1, maximum: maxImages, description: '1 is the first.' })),
  }),
);

export const Category = named('Category', Type.Object({ name: Type.String(), count: Type.Integer() }));
