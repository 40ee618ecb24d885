import {
  DownloadFormat,
  Message,
  Moment,
  Money,
  MoneyInput,
  NullableMoneyInput,
  Pagination,
  paging,
  type Static,
  Tags,
  TagsFilter,
  Timestamp,
  type TSchema,
  Type,
  Uuid,
} from '@chowk/kit';

const largestStock = 2_147_483_647;

export const Status = Type.Enum(['draft', 'active', 'archived']);

const Image = Type.Object({
  // Neither a scheme that runs code, nor `//host`, nor what a browser would read as one of them.
  url: Type.String({
    maxLength: 2_048,
    pattern: '^(?:https://|(?!//)(?![A-Za-z][A-Za-z0-9+.-]*:))[^\\s\\\\\\p{Cc}]+$',
    description: 'An https or a relative URL.',
  }),
  alt: Type.String({ maxLength: 255, pattern: '^[^\\p{Cc}]*$', default: '' }),
});

export const Product = Type.Object({
  id: Uuid,
  sku: Type.String(),
  title: Type.String(),
  description: Type.String(),
  price: Money,
  compare_at_price: Type.Union([Money, Type.Null()]),
  status: Status,
  images: Type.Array(Image),
  tags: Type.Array(Type.String()),
  categories: Type.Array(Type.String()),
  mandatory: Type.Boolean(),
  stock: Type.Integer({ description: 'Pieces on the shelf.' }),
  reserved: Type.Integer({ description: 'Pieces of them that are promised.' }),
  available: Type.Integer({ description: 'Pieces that can still be promised or sold.' }),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Product = Static<typeof Product>;

const Sku = Type.String({ minLength: 1, maxLength: 64, pattern: '^[^\\p{Cc}]*$' });
const Title = Type.String({ minLength: 1, maxLength: 255, pattern: '^[^\\p{Cc}]*$' });
// PostgreSQL cannot keep the character NUL.
const Description = Type.String({ maxLength: 20_000, pattern: '^[^\\0]*$' });
const Images = Type.Array(Image, { maxItems: 20 });
// Lists of them are written with bars.
const Categories = Type.Array(Type.String({ minLength: 1, maxLength: 100, pattern: '^[^|\\p{Cc}]*$' }), {
  maxItems: 20,
});
const Stock = Type.Integer({ minimum: 0, maximum: largestStock });

export const NewProduct = Type.Object({
  sku: Sku,
  title: Title,
  description: withDefault(Description, ''),
  price: MoneyInput,
  compare_at_price: withDefault(NullableMoneyInput, null),
  status: withDefault(Status, 'active'),
  images: withDefault(Images, []),
  tags: withDefault(Tags, []),
  categories: withDefault(Categories, []),
  mandatory: Type.Boolean({ default: false }),
  stock: withDefault(Stock, 0),
});
export type NewProduct = Static<typeof NewProduct>;

export const ProductChanges = Type.Object({
  sku: Type.Optional(Sku),
  title: Type.Optional(Title),
  description: Type.Optional(Description),
  price: Type.Optional(MoneyInput),
  compare_at_price: Type.Optional(NullableMoneyInput),
  status: Type.Optional(Status),
  images: Type.Optional(Images),
  tags: Type.Optional(Tags),
  categories: Type.Optional(Categories),
  mandatory: Type.Optional(Type.Boolean()),
  stock: Type.Optional(Stock),
});
export type ProductChanges = Static<typeof ProductChanges>;

const filters = {
  search: Type.Optional(Type.String({ maxLength: 200, description: 'Words in title, SKU, tags or categories.' })),
  status: Type.Optional(Status),
  tags: Type.Optional(TagsFilter),
  category: Type.Optional(Type.String({ maxLength: 100 })),
  min_price: Type.Optional(MoneyInput),
  max_price: Type.Optional(MoneyInput),
  in_stock: Type.Optional(Type.Boolean({ description: 'Whether a piece can be sold now.' })),
  low_stock: Type.Optional(Type.Boolean({ description: 'Whether products.low_stock_threshold or fewer are left.' })),
  mandatory: Type.Optional(Type.Boolean()),
  created_from: Type.Optional(Moment),
  created_to: Type.Optional(Moment),
};
const order = {
  sort_by: Type.Enum(['created_at', 'title', 'price', 'stock', 'sku'], { default: 'created_at' }),
  sort_order: Type.Enum(['asc', 'desc'], { default: 'desc' }),
};

const Filters = Type.Object(filters);
export type Filters = Static<typeof Filters>;
const Order = Type.Object(order);
export type Order = Static<typeof Order>;
export const ListQuery = Type.Object({ ...filters, ...order, ...paging });
export type ListQuery = Static<typeof ListQuery>;
export const ExportQuery = Type.Object({
  ...filters,
  ...order,
  format: DownloadFormat,
});
export type ExportQuery = Static<typeof ExportQuery>;

export const SearchQuery = Type.Object({
  q: Type.String({ minLength: 2, maxLength: 200 }),
  limit: Type.Integer({ minimum: 1, maximum: 50, default: 20 }),
});
export type SearchQuery = Static<typeof SearchQuery>;

export const ProductAnswer = Type.Object({ product: Product });
export const ProductMessage = Type.Object({ ...Message.properties, product: Product });
export const ProductsAnswer = Type.Object({ products: Type.Array(Product) });
export const ProductPage = Type.Object({ products: Type.Array(Product), pagination: Pagination });
export const CategoriesAnswer = Type.Object({
  categories: Type.Array(Type.Object({ name: Type.String(), count: Type.Integer() })),
});

const Change = Type.Integer({ minimum: -largestStock, maximum: largestStock });
const Quantity = Type.Integer({ minimum: 1, maximum: largestStock });
const Reason = Type.String({ minLength: 1, maxLength: 255 });
const Reference = Type.String({ minLength: 1, maxLength: 255, description: 'What it is for, as an order number.' });
/** Long enough for a checkout; nobody holds pieces for longer than a month without asking again. */
export const usualHold = 900;
const ExpiresIn = Type.Integer({ minimum: 1, maximum: 2_592_000, default: usualHold, description: 'Seconds.' });

export const StockChange = Type.Object({
  change: Change,
  reason: Type.Optional(Reason),
  reference: Type.Optional(Reference),
});

export const NewReservation = Type.Object({
  quantity: Quantity,
  reference: Type.Optional(Reference),
  expires_in: ExpiresIn,
});
export type NewReservation = Static<typeof NewReservation>;

export const StockOperation = Type.Object(
  {
    id: Type.Optional(Uuid),
    sku: Type.Optional(Type.String()),
    mode: Type.Optional(
      Type.Enum(['adjust', 'reserve', 'release', 'commit'], {
        default: 'adjust',
        description: 'reserve holds `change` pieces for `reference`; release and commit end all that it holds.',
      }),
    ),
    change: Type.Optional(Change),
    reason: Type.Optional(Reason),
    reference: Type.Optional(Reference),
    expires_in: Type.Optional(ExpiresIn),
  },
  { anyOf: [{ required: ['id'] }, { required: ['sku'] }] },
);

// A caller over the bus sends less than the operation gets: the bus fills in the defaults.
export const ListInput = Type.Partial(ListQuery);
export const SearchInput = Type.Object({ ...Type.Partial(SearchQuery).properties, q: SearchQuery.properties.q });
export const CreateInput = Type.Object({
  ...Type.Partial(NewProduct).properties,
  sku: Sku,
  title: Title,
  price: MoneyInput,
});

export const ProductKey = Type.Object(
  { id: Type.Optional(Uuid), sku: Type.Optional(Type.String()) },
  { anyOf: [{ required: ['id'] }, { required: ['sku'] }] },
);
export type ProductKey = Static<typeof ProductKey>;

const Reservation = Type.Object({
  id: Uuid,
  product_id: Uuid,
  quantity: Type.Integer(),
  reference: Type.Union([Type.String(), Type.Null()]),
  created_at: Timestamp,
  expires_at: Timestamp,
});
export type Reservation = Static<typeof Reservation>;
export const ReservationMessage = Type.Object({ ...ProductMessage.properties, reservation: Reservation });

const Movement = Type.Object({
  id: Uuid,
  change: Type.Integer(),
  reserved_change: Type.Integer(),
  reason: Type.String(),
  reference: Type.Union([Type.String(), Type.Null()]),
  user_id: Type.Union([Type.Integer(), Type.Null()]),
  at: Timestamp,
});
export type Movement = Static<typeof Movement>;
export const MovementPage = Type.Object({ movements: Type.Array(Movement), pagination: Pagination });

export const ImportReport = Type.Object({
  ...Message.properties,
  created: Type.Integer(),
  updated: Type.Integer(),
  failed: Type.Integer(),
  errors: Type.Array(
    Type.Object({ line: Type.Integer(), errors: Type.Record(Type.String(), Type.Array(Type.String())) }),
  ),
});
export type ImportReport = Static<typeof ImportReport>;

export const ById = Type.Object({ id: Uuid });
export const ByReservation = Type.Object({ id: Uuid, reservation: Uuid });

function withDefault<Schema extends TSchema>(schema: Schema, value: unknown): Schema {
  return { ...schema, default: value };
}
