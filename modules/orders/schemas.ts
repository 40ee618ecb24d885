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
  TextMap,
  Timestamp,
  TimestampInput,
  Type,
  Uuid,
  updateSchema,
} from '@chowk/kit';
import {
  NewOrderItem,
  OrderDiscount,
  OrderDiscountInput,
  OrderItem,
  OrderItemChange,
  OrderShipping,
  OrderTax,
} from './item-schemas.ts';
import { NewOrderPayment, OrderPayment, PaymentMethod, RecordedRefund } from './payment-schemas.ts';
import { FulfillmentStatus, Shipment } from './shipment-schemas.ts';

export const Status = Type.Enum(
  ['pending', 'confirmed', 'processing', 'shipped', 'delivered', 'cancelled', 'failed', 'refunded'],
  { description: 'The state of the order. `cancelled` and `failed` orders do not count as sales.' },
);
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
  tax_number: Type.Optional(
    NullableLine(64, {
      description: 'The tax number of the business, printed on its invoice.',
      examples: ['29AAGCB7383J1Z4'],
    }),
  ),
});
export type ShippingAddress = Static<typeof ShippingAddress>;

const NewOrderCustomer = NamedObject('NewOrderCustomer', {
  id: Type.Optional(Uuid),
  phone: Type.Optional(NullableLine(32, { examples: ['+91 98765 43210'] })),
  email: Type.Optional(NullableEmail),
  first_name: optionalLine,
  last_name: optionalLine,
});

const ExternalIds = TextMap(50, Line(255, { examples: ['5001'] }), {
  description: 'Ids on other platforms. No two orders have the same id on one platform.',
  examples: [{ shopify: '5001' }],
});
export const Metadata = TextMap(100, Type.String({ maxLength: 5_000, pattern: '^[^\\0\\p{Cs}]*$' }), {
  description: 'Texts of your own.',
  examples: [{ source: 'instagram' }],
});

const given = (description: string) => Type.Optional({ ...MoneyInput, description });

/** What the price depends on, besides the items. */
export const PriceChoices = Type.Object({
  discount_codes: Type.Optional(Type.Array(Line(64), { maxItems: 10, examples: [['WELCOME10']] })),
  discounts: Type.Optional(
    Type.Array(OrderDiscountInput, { maxItems: 10, description: 'Discounts of the whole order that need no code.' }),
  ),
  shipping_rate_id: Type.Optional({ ...Nullable(Uuid), description: 'One of the `shipping_rates` of a preview.' }),
  shipping: Type.Optional({
    ...Nullable(
      NamedObject('OrderShippingInput', {
        title: Type.Optional(Line(255, { examples: ['Courier'] })),
        price: MoneyInput,
      }),
    ),
    description: 'An amount of your own, instead of a shipping rate.',
  }),
  discount_total: given(
    'The discount of an order that was priced elsewhere. With this, `shipping_total` or `tax_total`, nothing is calculated.',
  ),
  shipping_total: given('The shipping of an order that was priced elsewhere.'),
  tax_total: given('The tax of an order that was priced elsewhere, which its prices do not include.'),
});
export type PriceChoices = Static<typeof PriceChoices>;

const OrderFields = Type.Object({
  items: Type.Array(NewOrderItem, { minItems: 1, maxItems: 500, description: 'What is ordered.' }),
  total: Type.Optional({
    ...MoneyInput,
    description:
      'At most 9999999999.99. Default: the sum of items, discounts, shipping and taxes, which it must equal unless all items ' +
      'are free text.',
  }),
  status: Default(Status, 'pending'),
  currency: Type.Optional({
    ...Currency,
    description: "ISO 4217 code. Default: the tenant's currency. It cannot change later.",
  }),
  placed_at: Type.Optional(TimestampInput),
  shipping_address: Default(Nullable(ShippingAddress), null),
  billing_address: Default(Nullable(ShippingAddress), null),
  note: Default(NullableText(20_000), null),
  metadata: Default(Metadata, {}),
  external_ids: Default(ExternalIds, {}),
  payment_method: Default(
    {
      ...Nullable(PaymentMethod),
      description:
        'How the customer pays. With `cash_on_delivery`, what is due counts as paid when the order becomes delivered.',
      examples: ['cash_on_delivery'],
    },
    null,
  ),
});

const customer = Default(NewOrderCustomer, {});
const customer_id = Type.Optional({ ...Uuid, description: 'Short for customer.id.' });
const track_stock = Type.Optional(
  Type.Boolean({ description: 'Whether the items reserve stock. Default: the setting `orders.track_stock`.' }),
);
const payments = Default(
  Type.Array(NewOrderPayment, { maxItems: 20, description: 'Payments that were made already.' }),
  [],
);
export const NewOrder = named(
  'NewOrder',
  extend(OrderFields, { ...PriceChoices.properties, customer, customer_id, track_stock, payments }),
);
export type NewOrder = Static<typeof NewOrder>;

const items = Type.Optional(
  Type.Array(OrderItemChange, {
    minItems: 1,
    maxItems: 500,
    description: 'All items. Those with an `id` are kept, as are those with the variant, or name and SKU, of an item.',
  }),
);
export const OrderChanges = named(
  'OrderChanges',
  extend(updateSchema(OrderFields), { ...PriceChoices.properties, id: Uuid, items }),
);
export type OrderChanges = Static<typeof OrderChanges>;

const newOnly = updateSchema(Type.Object({ customer, customer_id, track_stock, payments }));
const OrderEdit = extend(updateSchema(OrderFields), { ...PriceChoices.properties, ...newOnly.properties, items });
export const OrderByExternalId = named(
  'OrderUpsert',
  extend(OrderEdit, {
    platform: Line(50, { examples: ['shopify'] }),
    external_id: Line(255, { examples: ['5001'] }),
  }),
);
/** Without an id, a new order. */
export const OrderBulkItem = named('OrderBulkItem', extend(OrderEdit, { id: Type.Optional(Uuid) }));

export const PaymentStatus = Type.Enum(['unpaid', 'partly_paid', 'paid', 'refunded'], {
  description: 'How much of the order is paid.',
});

export const OrderContact = NamedObject(
  'OrderContact',
  {
    first_name: Nullable(Type.String()),
    last_name: Nullable(Type.String()),
    email: Nullable(Type.String()),
    phone: Nullable(Type.String({ description: 'null without customers.view_sensitive.' })),
  },
  { description: 'The customer as it was when the order was placed.' },
);
export type OrderContact = Static<typeof OrderContact>;

/** The amounts of an order and what they consist of. */
export const OrderMoney = Type.Object({
  subtotal: { ...Money, description: 'The sum of the items, before discounts.' },
  discount_total: Money,
  discounts: Type.Array(OrderDiscount),
  shipping_total: { ...Money, description: 'Before discounts.' },
  shipping: Nullable(OrderShipping),
  tax_total: { ...Money, description: 'Contained in the total if `prices_include_tax`.' },
  taxes: Type.Array(OrderTax),
  prices_include_tax: Type.Boolean(),
  total: Money,
});
export type OrderMoney = Static<typeof OrderMoney>;

const { total: _total, items: _items, metadata: _m, external_ids: _e, ...outputs } = outputFields(OrderFields);
const Texts = Type.Record(Type.String(), Type.String());

export const Order = NamedObject('Order', {
  id: Uuid,
  order_number: Type.String({ examples: ['1042'] }),
  customer_id: Uuid,
  ...outputs,
  items: Type.Array(OrderItem),
  ...OrderMoney.properties,
  adjustment_total: Type.String({
    pattern: '^-?\\d+\\.\\d{2,3}$',
    description: 'What a given total adds to the calculated one; negative if it is less.',
    examples: ['0.00'],
  }),
  paid_total: Money,
  refunded_total: Money,
  due_total: { ...Money, description: 'What is still to be paid.' },
  payment_status: PaymentStatus,
  discount_codes: Type.Array(Type.String()),
  contact: Nullable(OrderContact),
  metadata: Texts,
  external_ids: Texts,
  track_stock: Type.Boolean({ description: 'Whether the items reserve stock.' }),
  created_at: Timestamp,
  updated_at: Timestamp,
  fulfillment_status: FulfillmentStatus,
});
export type Order = Static<typeof Order>;

export const OrderCustomer = NamedObject(
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
      description:
        'The values of items, total, date and paid total before and after a change, and the payments and shipments that changed.',
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
    payments: Type.Array(OrderPayment, { description: 'The oldest first.' }),
    refunds: Type.Array(RecordedRefund, { description: 'The oldest first.' }),
    shipments: Type.Array(Shipment),
  }),
  { graphqlType: 'Order' },
);
export type OrderDetails = Static<typeof OrderDetails>;

const reason = Type.Optional(Text(1_000, { examples: ['Out of stock'] }));
export const StatusChange = NamedObject('OrderStatusChange', { id: Uuid, status: Status, reason });
export type StatusChange = Static<typeof StatusChange>;
export const Cancellation = NamedObject('OrderCancellation', { id: Uuid, reason });

export const NumberKey = Type.Object({
  order_number: Type.String({ maxLength: 100, pattern: '^[^\\p{Cc}\\p{Cs}]*$', examples: ['1042'] }),
});

export const OrderCounts = Counts('OrderCounts', Status);
