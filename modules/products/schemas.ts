import {
  Default,
  Line,
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

export const maxStock = 2_147_483_647;

export const Status = Type.Enum(['draft', 'active', 'archived']);

const NewImage = named(
  'ProductImage',
  Type.Object({
    // Excludes other schemes such as `javascript:`, `//host`, and variants that browsers accept.
    url: Type.String({
      maxLength: 2_048,
      pattern: '^(?:https://|(?!//)(?![A-Za-z][A-Za-z0-9+.-]*:))[^\\s\\\\\\p{Cc}]+$',
      description: 'An https or a relative URL.',
      examples: ['/images/tea.jpg'],
    }),
    alt: Default(Line(255, { minLength: 0 }), ''),
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
    stock: Default(Type.Integer({ minimum: 0, maximum: maxStock, description: 'Units on hand.' }), 0),
  }),
);
export type NewProduct = Static<typeof NewProduct>;

export const ProductChanges = named('ProductChanges', updateSchema(NewProduct));
export type ProductChanges = Static<typeof ProductChanges>;

export const Product = named(
  'Product',
  Type.Object({
    id: Uuid,
    ...outputFields(NewProduct),
    images: Type.Array(ProductImage),
    reserved: Type.Integer({ description: 'Units on hand that are reserved.' }),
    available: Type.Integer({ description: 'Units that can be sold or reserved.' }),
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
);
export type Product = Static<typeof Product>;

export const NewUpload = named(
  'NewProductImage',
  Type.Object({
    id: Uuid,
    file: UploadedFile({ types: ['image/jpeg', 'image/png', 'image/webp'], maxBytes: 10 * 1024 * 1024 }),
    alt: Default(Line(255, { minLength: 0 }), ''),
  }),
);
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

const Reason = Line(255, { examples: ['Stocktaking'] });
const Reference = Line(255, { description: 'The purpose, such as an order number.', examples: ['1042'] });
const Change = Type.Integer({ minimum: -maxStock, maximum: maxStock, examples: [12] });

export const StockChange = named(
  'StockChange',
  Type.Object({
    id: Uuid,
    change: Change,
    reason: Default(Reason, 'adjusted'),
    reference: Type.Optional(Reference),
  }),
);

export const NewReservation = named(
  'NewReservation',
  Type.Object({
    id: Uuid,
    quantity: Type.Integer({ minimum: 1, maximum: maxStock }),
    reference: Type.Optional(Reference),
    expires_in: Default(Type.Integer({ minimum: 1, maximum: 2_592_000, description: 'Seconds.' }), 900),
  }),
);
export type NewReservation = Static<typeof NewReservation>;

export const Reservation = named(
  'Reservation',
  Type.Object({
    id: Uuid,
    product_id: Uuid,
    quantity: Type.Integer(),
    reference: Nullable(Type.String()),
    created_at: Timestamp,
    expires_at: Timestamp,
  }),
);
export type Reservation = Static<typeof Reservation>;
export const Reserved = Type.Object({ product: Product, reservation: Reservation });
export const ReservationKey = Type.Object({ id: Uuid, reservation: Uuid });

export const StockMovement = named(
  'StockMovement',
  Type.Object({
    id: Uuid,
    change: Type.Integer(),
    reserved_change: Type.Integer(),
    reason: Type.String(),
    reference: Nullable(Type.String()),
    user_id: Nullable(Type.Integer()),
    at: Timestamp,
  }),
);
export type StockMovement = Static<typeof StockMovement>;

export const Category = named('Category', Type.Object({ name: Type.String(), count: Type.Integer() }));
