import {
  Counts,
  Currency,
  Default,
  extend,
  Line,
  Money,
  MoneyInput,
  NamedObject,
  Nullable,
  NullableEmail,
  NullableLine,
  NullableText,
  named,
  outputFields,
  type Static,
  Text,
  Timestamp,
  TimestampInput,
  Type,
  Uuid,
  updateSchema,
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

const optionalLine = Type.Optional(NullableLine(255));
const ShippingAddress = NamedObject('ShippingAddress', {
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
});
export type ShippingAddress = Static<typeof ShippingAddress>;

const NewOrderItem = NamedObject('NewOrderItem', {
  name: Line(255, { examples: ['Green tea, 250 g'] }),
  sku: Default(NullableLine(64, { examples: ['TEA-250'] }), null),
  quantity: Type.Integer({ minimum: 1, maximum: 1_000_000, examples: [2] }),
  price: MoneyInput,
});
export type NewOrderItem = Static<typeof NewOrderItem>;

const NewOrderCustomer = NamedObject('NewOrderCustomer', {
  id: Type.Optional(Uuid),
  phone: Type.Optional(NullableLine(32, { examples: ['+91 98765 43210'] })),
  email: Type.Optional(NullableEmail),
  first_name: optionalLine,
  last_name: optionalLine,
});

const OrderFields = Type.Object({
  items: Type.Array(NewOrderItem, { minItems: 1, maxItems: 500 }),
  total: Type.Optional({ ...MoneyInput, description: 'At most 9999999999.99. Default: the sum of the items.' }),
  status: Default(Status, 'pending'),
  currency: Type.Optional({
    ...Currency,
    description: "ISO 4217 code. Default: the tenant's currency. It cannot change later.",
  }),
  placed_at: Type.Optional(TimestampInput),
  shipping_address: Default(Nullable(ShippingAddress), null),
  note: Default(NullableText(20_000), null),
});

const customer = Default(NewOrderCustomer, {});
const customer_id = Type.Optional({ ...Uuid, description: 'Short for customer.id.' });
export const NewOrder = named('NewOrder', extend(OrderFields, { customer, customer_id }));
export type NewOrder = Static<typeof NewOrder>;

export const OrderChanges = named('OrderChanges', extend(updateSchema(OrderFields), { id: Uuid }));
export type OrderChanges = Static<typeof OrderChanges>;

export const OrderItem = NamedObject('OrderItem', { id: Uuid, ...outputFields(NewOrderItem), total: Money });

export const Order = NamedObject('Order', {
  id: Uuid,
  order_number: Type.String({ examples: ['1042'] }),
  customer_id: Uuid,
  ...outputFields(OrderFields),
  items: Type.Array(OrderItem),
  refunded_total: Money,
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Order = Static<typeof Order>;

const OrderCustomer = NamedObject(
  'OrderCustomer',
  {
    id: Uuid,
    first_name: Nullable(Type.String()),
    last_name: Nullable(Type.String()),
    email: Nullable(Type.String()),
    phone: Nullable(Type.String({ description: 'Masked without customers.view_sensitive.' })),
  },
  { graphqlType: 'Customer' },
);

export const ListedOrder = named('ListedOrder', extend(Order, { customer: Nullable(OrderCustomer) }), {
  graphqlType: 'Order',
});
export type ListedOrder = Static<typeof ListedOrder>;

export const HistoryEntry = NamedObject('OrderHistoryEntry', {
  id: Uuid,
  status: Status,
  previous_status: Nullable(Status),
  refunded: Nullable(Money),
  changes: Nullable(
    Type.Record(Type.String(), Type.Array(Type.Unknown()), {
      description: 'The values of items, total and date before and after an edit.',
      examples: [{ total: ['9.00', '16.50'] }],
    }),
  ),
  reason: Nullable(Type.String()),
  user_id: Nullable(Type.Integer()),
  at: Timestamp,
});

export const OrderDetails = named(
  'OrderDetails',
  extend(ListedOrder, {
    next_statuses: Type.Array(Status, { description: 'The statuses that the order can change to.' }),
    history: Type.Array(HistoryEntry),
  }),
  { graphqlType: 'Order' },
);
export type OrderDetails = Static<typeof OrderDetails>;

const reason = Type.Optional(Text(1_000, { examples: ['Out of stock'] }));
export const StatusChange = NamedObject('OrderStatusChange', { id: Uuid, status: Status, reason });
export type StatusChange = Static<typeof StatusChange>;
export const Cancellation = NamedObject('OrderCancellation', { id: Uuid, reason });

const amount = Type.Optional({ ...MoneyInput, description: 'Default and maximum: the amount not refunded yet.' });
export const OrderRefund = NamedObject('OrderRefund', { id: Uuid, amount, reason });
export type OrderRefund = Static<typeof OrderRefund>;

export const NumberKey = Type.Object({
  order_number: Type.String({ maxLength: 100, pattern: '^[^\\p{Cc}\\p{Cs}]*$', examples: ['1042'] }),
});

export const OrderCounts = Counts('OrderCounts', Status);

const sums = {
  orders: Type.Integer({ description: 'Without cancelled and failed orders; in all currencies.' }),
  revenue: { ...Money, description: 'Totals less refunds.' },
  refunded: Money,
  avg_order_value: { ...Money, description: 'The average revenue of an order.' },
};
const OrderDay = NamedObject('OrderDay', { date: Type.String({ format: 'date', examples: ['2026-01-31'] }), ...sums });
const CurrencySums = NamedObject('OrderCurrencySums', { currency: Type.String({ examples: ['EUR'] }), ...sums });

const OrderPeriod = NamedObject('OrderPeriod', {
  ...sums,
  days: Type.Array(OrderDay, { description: 'Every day, the earliest first.' }),
  other_currencies: Type.Array(CurrencySums, { description: 'The orders whose amounts are not in the revenue.' }),
});
export type OrderPeriod = Static<typeof OrderPeriod>;

export const OrderStatistics = NamedObject('OrderStatistics', {
  days: Type.Integer(),
  currency: Type.String({ description: "The tenant's currency: that of all amounts.", examples: ['INR'] }),
  timezone: Type.String({ examples: ['Asia/Kolkata'] }),
  current: OrderPeriod,
  previous: OrderPeriod,
});
export type OrderStatistics = Static<typeof OrderStatistics>;

export const StatisticsQuery = Type.Object({
  days: Default(Type.Integer({ minimum: 1, maximum: 366, examples: [7] }), 30),
});
