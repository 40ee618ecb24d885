import {
  DownloadFormat,
  Message,
  Moment,
  Money,
  MoneyInput,
  Nullable,
  Pagination,
  paging,
  type Static,
  Timestamp,
  Type,
  Uuid,
} from '@chowk/kit';

/** In an input: one schema and not two, so that what is wrong is told of the text itself. */
const NullableText = (rules: { maxLength: number; pattern?: string; format?: string }) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], ...rules });
const line = '^[^\\p{Cc}\\p{Cs}]*$';
// PostgreSQL cannot keep the character NUL, nor half of one.
const text = '^[^\\0\\p{Cs}]*$';
const NullableLine = (maxLength: number) => NullableText({ maxLength, pattern: line });

export const Status = Type.Enum([
  'pending',
  'confirmed',
  'processing',
  'shipped',
  'delivered',
  'cancelled',
  'failed',
  'refunded',
]);
export type Status = Static<typeof Status>;

export const Item = Type.Object({
  id: Uuid,
  name: Type.String(),
  sku: Nullable(Type.String()),
  quantity: Type.Integer(),
  price: Money,
  total: Money,
});
export type Item = Static<typeof Item>;

export const ShippingAddress = Type.Object({
  first_name: Type.Optional(NullableLine(255)),
  last_name: Type.Optional(NullableLine(255)),
  company: Type.Optional(NullableLine(255)),
  address1: Type.Optional(NullableLine(255)),
  address2: Type.Optional(NullableLine(255)),
  city: Type.Optional(NullableLine(255)),
  state: Type.Optional(NullableLine(255)),
  pincode: Type.Optional(NullableLine(32)),
  country: Type.Optional(NullableLine(255)),
  phone: Type.Optional(NullableLine(32)),
});
export type ShippingAddress = Static<typeof ShippingAddress>;

export const Order = Type.Object({
  id: Uuid,
  order_number: Type.String(),
  customer_id: Uuid,
  status: Status,
  currency: Type.String(),
  items: Type.Array(Item),
  total: Money,
  refunded_total: Money,
  shipping_address: Nullable(ShippingAddress),
  note: Nullable(Type.String()),
  placed_at: Timestamp,
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Order = Static<typeof Order>;

const OrderCustomer = Type.Object({
  id: Uuid,
  first_name: Nullable(Type.String()),
  last_name: Nullable(Type.String()),
  email: Nullable(Type.String()),
  phone: Nullable(Type.String({ description: 'Masked without customers.view_sensitive.' })),
});
export type OrderCustomer = Static<typeof OrderCustomer>;

/** An order as lists show it. */
export const ListedOrder = Type.Object({ ...Order.properties, customer: Nullable(OrderCustomer) });
export type ListedOrder = Static<typeof ListedOrder>;

const HistoryEntry = Type.Object({
  id: Uuid,
  status: Status,
  previous_status: Nullable(Status),
  refunded: Nullable(Money),
  reason: Nullable(Type.String()),
  user_id: Nullable(Type.Integer()),
  at: Timestamp,
});
export type HistoryEntry = Static<typeof HistoryEntry>;

export const OrderDetail = Type.Object({ ...ListedOrder.properties, history: Type.Array(HistoryEntry) });
export type OrderDetail = Static<typeof OrderDetail>;

const NewItem = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 255, pattern: line }),
  sku: Type.Optional(NullableLine(64)),
  quantity: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
  price: MoneyInput,
});
export type NewItem = Static<typeof NewItem>;

const CustomerInput = Type.Object(
  {
    id: Type.Optional(Uuid),
    phone: Type.Optional(NullableText({ maxLength: 32 })),
    email: Type.Optional(NullableText({ maxLength: 254, format: 'email' })),
    first_name: Type.Optional(NullableLine(255)),
    last_name: Type.Optional(NullableLine(255)),
  },
  { description: 'The id decides, else the phone, else the email; without any of them a new customer named Guest.' },
);
export type CustomerInput = Static<typeof CustomerInput>;

const fields = {
  items: Type.Array(NewItem, { minItems: 1, maxItems: 500 }),
  total: Type.Optional({ ...MoneyInput, description: 'At most 9999999999.99. Absent: what the items add up to.' }),
  status: Type.Optional(Status),
  currency: Type.Optional(
    Type.String({ pattern: '^[A-Z]{3}$', description: 'Three capital letters of ISO 4217, such as INR.' }),
  ),
  placed_at: Type.Optional(Type.String({ format: 'date-time' })),
  shipping_address: Type.Optional(
    Type.Unsafe<ShippingAddress | null>({ ...ShippingAddress, type: ['object', 'null'] }),
  ),
  note: Type.Optional(NullableText({ maxLength: 20_000, pattern: text })),
};

export const NewOrder = Type.Object({
  customer: Type.Optional(CustomerInput),
  customer_id: Type.Optional({ ...Uuid, description: 'Short for customer.id.' }),
  ...fields,
});
export type NewOrder = Static<typeof NewOrder>;
export const OrderChanges = Type.Object({ ...fields, items: Type.Optional(fields.items) });
export type OrderChanges = Static<typeof OrderChanges>;

const Reason = Type.String({ minLength: 1, maxLength: 1_000, pattern: text });
export const StatusChange = Type.Object({ status: Status, reason: Type.Optional(Reason) });
export type StatusChange = Static<typeof StatusChange>;
export const Cancellation = Type.Object({ reason: Type.Optional(Reason) });
export const Refund = Type.Object({
  amount: Type.Optional({ ...MoneyInput, description: 'At most what is not refunded yet. Absent: all of it.' }),
  reason: Type.Optional(Reason),
});
export type Refund = Static<typeof Refund>;

const filters = {
  search: Type.Optional(
    Type.String({ maxLength: 200, description: 'Words in order number or note, or in name or email of the customer.' }),
  ),
  status: Type.Optional(
    Type.Array(Type.String({ maxLength: 200 }), { maxItems: 20, description: 'Any of them; commas separate.' }),
  ),
  customer_id: Type.Optional(Uuid),
  placed_from: Type.Optional(Moment),
  placed_to: Type.Optional(Moment),
  min_total: Type.Optional(MoneyInput),
  max_total: Type.Optional(MoneyInput),
};
const sorting = {
  sort_by: Type.Enum(['placed_at', 'total', 'order_number'], { default: 'placed_at' }),
  sort_order: Type.Enum(['asc', 'desc'], { default: 'desc' }),
};
export const Filters = Type.Object(filters);
export type Filters = Static<typeof Filters>;
const Sorting = Type.Object(sorting);
export type Sorting = Static<typeof Sorting>;
export const ListQuery = Type.Object({ ...filters, ...sorting, ...paging });
export type ListQuery = Static<typeof ListQuery>;
/** A caller over the bus sends less than the operation gets: the bus fills in the defaults. */
export const ListInput = Type.Partial(ListQuery);
export const ExportQuery = Type.Object({ ...filters, ...sorting, format: DownloadFormat });
export type ExportQuery = Static<typeof ExportQuery>;

export const OrderKey = Type.Object(
  { id: Type.Optional(Uuid), order_number: Type.Optional(Type.String({ maxLength: 100 })) },
  { anyOf: [{ required: ['id'] }, { required: ['order_number'] }] },
);
export type OrderKey = Static<typeof OrderKey>;
export const ById = Type.Object({ id: Uuid });

export const OrderAnswer = Type.Object({ order: OrderDetail });
export const OrderMessage = Type.Object({ ...Message.properties, order: Order });
export const OrderPage = Type.Object({ orders: Type.Array(ListedOrder), pagination: Pagination });
export type OrderPage = Static<typeof OrderPage>;

export const CountsAnswer = Type.Object({
  total: Type.Integer(),
  counts: Type.Record(Status, Type.Integer(), { description: 'By status, every one of them.' }),
});
export type CountsAnswer = Static<typeof CountsAnswer>;
