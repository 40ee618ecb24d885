import {
  changesOf,
  Default,
  extend,
  Line,
  Money,
  MoneyInput,
  Nullable,
  NullableEmail,
  NullableLine,
  NullableText,
  named,
  type Static,
  Text,
  Timestamp,
  TimestampInput,
  Type,
  Uuid,
} from '@chowk/kit';

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
export const statuses: readonly Status[] = Status.enum;

export const OrderItem = named(
  'OrderItem',
  Type.Object({
    id: Uuid,
    name: Type.String({ examples: ['Green tea, 250 g'] }),
    sku: Nullable(Type.String({ examples: ['TEA-250'] })),
    quantity: Type.Integer({ examples: [2] }),
    price: Money,
    total: Money,
  }),
);
export type OrderItem = Static<typeof OrderItem>;

const optionalLine = Type.Optional(NullableLine(255));
const ShippingAddress = named(
  'ShippingAddress',
  Type.Object({
    first_name: optionalLine,
    last_name: optionalLine,
    company: optionalLine,
    address1: optionalLine,
    address2: optionalLine,
    city: optionalLine,
    state: optionalLine,
    pincode: Type.Optional(NullableLine(32)),
    country: optionalLine,
    phone: Type.Optional(NullableLine(32)),
  }),
);
export type ShippingAddress = Static<typeof ShippingAddress>;

export const Order = named(
  'Order',
  Type.Object({
    id: Uuid,
    order_number: Type.String({ examples: ['1042'] }),
    customer_id: Uuid,
    status: Status,
    currency: Type.String({ examples: ['INR'] }),
    items: Type.Array(OrderItem),
    total: Money,
    refunded_total: Money,
    shipping_address: Nullable(ShippingAddress),
    note: Nullable(Type.String()),
    placed_at: Timestamp,
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
);
export type Order = Static<typeof Order>;

const OrderCustomer = named(
  'OrderCustomer',
  Type.Object({
    id: Uuid,
    first_name: Nullable(Type.String()),
    last_name: Nullable(Type.String()),
    email: Nullable(Type.String()),
    phone: Nullable(Type.String({ description: 'Masked without customers.view_sensitive.' })),
  }),
);
export type OrderCustomer = Static<typeof OrderCustomer>;

export const ListedOrder = named('ListedOrder', extend(Order, { customer: Nullable(OrderCustomer) }));
export type ListedOrder = Static<typeof ListedOrder>;

export const HistoryEntry = named(
  'OrderHistoryEntry',
  Type.Object({
    id: Uuid,
    status: Status,
    previous_status: Nullable(Status),
    refunded: Nullable(Money),
    reason: Nullable(Type.String()),
    user_id: Nullable(Type.Integer()),
    at: Timestamp,
  }),
);
export type HistoryEntry = Static<typeof HistoryEntry>;

export const OrderDetails = named('OrderDetails', extend(ListedOrder, { history: Type.Array(HistoryEntry) }));
export type OrderDetails = Static<typeof OrderDetails>;

const NewOrderItem = named(
  'NewOrderItem',
  Type.Object({
    name: Line(255, { examples: ['Green tea, 250 g'] }),
    sku: Default(NullableLine(64, { examples: ['TEA-250'] }), null),
    quantity: Type.Integer({ minimum: 1, maximum: 1_000_000, examples: [2] }),
    price: MoneyInput,
  }),
);
export type NewOrderItem = Static<typeof NewOrderItem>;

const NewOrderCustomer = named(
  'NewOrderCustomer',
  Type.Object(
    {
      id: Type.Optional(Uuid),
      phone: Type.Optional(NullableLine(32, { examples: ['+91 98765 43210'] })),
      email: Type.Optional(NullableEmail),
      first_name: optionalLine,
      last_name: optionalLine,
    },
    {
      description:
        'Found by id, else by phone, else by email, else created. Without any of them, a new customer Guest.',
    },
  ),
);

const OrderFields = Type.Object({
  items: Type.Array(NewOrderItem, { minItems: 1, maxItems: 500 }),
  total: Type.Optional({ ...MoneyInput, description: 'At most 9999999999.99. Default: the sum of the items.' }),
  status: Default(Status, 'pending'),
  currency: Type.Optional(
    Type.String({
      pattern: '^[A-Z]{3}$',
      description: 'Three capital letters of ISO 4217, such as INR.',
      examples: ['INR'],
    }),
  ),
  placed_at: Type.Optional(TimestampInput),
  shipping_address: Default(Nullable(ShippingAddress), null),
  note: Default(NullableText(20_000), null),
});

export const NewOrder = named(
  'NewOrder',
  extend(OrderFields, {
    customer: Default(NewOrderCustomer, {}),
    customer_id: Type.Optional({ ...Uuid, description: 'Short for customer.id.' }),
  }),
);
export type NewOrder = Static<typeof NewOrder>;

export const OrderChanges = named('OrderChanges', extend(changesOf(OrderFields), { id: Uuid }));
export type OrderChanges = Static<typeof OrderChanges>;

const reason = Type.Optional(Text(1_000, { examples: ['Out of stock'] }));
export const StatusChange = named('OrderStatusChange', Type.Object({ id: Uuid, status: Status, reason }));
export type StatusChange = Static<typeof StatusChange>;

export const Cancellation = named('OrderCancellation', Type.Object({ id: Uuid, reason }));

export const OrderRefund = named(
  'OrderRefund',
  Type.Object({
    id: Uuid,
    amount: Type.Optional({ ...MoneyInput, description: 'At most what is not refunded yet. Default: all of it.' }),
    reason,
  }),
);
export type OrderRefund = Static<typeof OrderRefund>;

export const NumberKey = Type.Object({
  order_number: Type.String({ maxLength: 100, pattern: '^[^\\p{Cc}\\p{Cs}]*$', examples: ['1042'] }),
});
export type NumberKey = Static<typeof NumberKey>;

export const OrderCounts = named(
  'OrderCounts',
  Type.Object({
    total: Type.Integer(),
    counts: Type.Record(Status, Type.Integer(), { description: 'By status, every one of them.' }),
  }),
);
export type OrderCounts = Static<typeof OrderCounts>;
