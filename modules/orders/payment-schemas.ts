import {
  Default,
  Line,
  Money,
  MoneyInput,
  NamedObject,
  Nullable,
  NullableLine,
  type Static,
  Text,
  Timestamp,
  TimestampInput,
  Type,
  Uuid,
} from '@chowk/kit';

export const PaymentState = Type.Enum(['pending', 'succeeded', 'failed']);
export type PaymentState = Static<typeof PaymentState>;

export const PaymentMethod = Line(64, { examples: ['cash'] });
const reference = Default(
  NullableLine(255, {
    description: 'The number of the payment at the bank. It is kept when the customer is erased.',
    examples: ['UTR 4281 9900'],
  }),
  null,
);
const paid_at = Type.Optional({ ...TimestampInput, description: 'Default: now, if the payment has succeeded.' });

export const NewOrderPayment = NamedObject('NewOrderPayment', {
  method: PaymentMethod,
  amount: Type.Optional({ ...MoneyInput, description: 'Default and maximum: the `due_total` of the order.' }),
  reference,
  status: Default(PaymentState, 'succeeded'),
  paid_at,
});
export type NewOrderPayment = Static<typeof NewOrderPayment>;

export const OrderPaymentInput = NamedObject('OrderPaymentInput', { id: Uuid, ...NewOrderPayment.properties });
export type OrderPaymentInput = Static<typeof OrderPaymentInput>;

export const OrderPaymentChange = NamedObject('OrderPaymentChange', {
  id: Uuid,
  payment: { ...Uuid, description: 'The id of the payment.' },
  status: Type.Enum(['succeeded', 'failed'], { description: 'The outcome of the payment.' }),
  reference: Type.Optional(NullableLine(255)),
  paid_at,
});
export type OrderPaymentChange = Static<typeof OrderPaymentChange>;

export const OrderPayment = NamedObject('OrderPayment', {
  id: Uuid,
  method: Type.String({ examples: ['cash'] }),
  amount: Money,
  excess: { ...Money, description: 'What is more than the order costs. It does not count in `paid_total`.' },
  refunded_total: { ...Money, description: 'How much of the amount is refunded, or is being refunded.' },
  reference: Nullable(Type.String()),
  status: PaymentState,
  provider: Nullable(
    Type.String({ description: 'The service that took the payment; null if it was recorded by hand.' }),
  ),
  provider_payment_id: Nullable(Type.String()),
  paid_at: Nullable(Timestamp),
  user_id: Nullable(Type.Integer()),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type OrderPayment = Static<typeof OrderPayment>;

const quantity = Type.Integer({ minimum: 1, maximum: 1_000_000, examples: [1] });
const RefundedUnits = NamedObject('OrderRefundItem', { item_id: Uuid, quantity: Type.Integer({ examples: [1] }) });
export type RefundedUnits = Static<typeof RefundedUnits>;

export const OrderRefund = NamedObject('OrderRefund', {
  id: Uuid,
  amount: Type.Optional({
    ...MoneyInput,
    description:
      'Default: the price of the items with their discounts and taxes, or without items everything that is not refunded ' +
      'yet, which is also the maximum.',
  }),
  items: Type.Optional(
    Type.Array(NamedObject('OrderRefundItemInput', { item_id: Uuid, quantity }), {
      minItems: 1,
      maxItems: 500,
      description: 'The units that are refunded.',
    }),
  ),
  restock: Default(
    Type.Boolean({
      description:
        'Whether the items go back into the stock. Those that were not shipped are released. Without items, all units: only with ' +
        'a refund of everything.',
    }),
    false,
  ),
  location_id: Type.Optional({ ...Nullable(Uuid), description: 'The stock location of returned items.' }),
  payment_id: Type.Optional({
    ...Uuid,
    description: 'The payment that is refunded, its `excess` first. Default: the newest payments.',
  }),
  reason: Type.Optional(Text(1_000, { examples: ['One was broken'] })),
});
export type OrderRefund = Static<typeof OrderRefund>;

export const RecordedRefund = NamedObject('RecordedRefund', {
  id: Uuid,
  payment_id: Nullable(Uuid),
  amount: Money,
  excess: { ...Money, description: 'How much of it is from the excess of the payment, which was not in `paid_total`.' },
  reason: Nullable(Type.String()),
  items: Type.Array(RefundedUnits),
  restocked: Type.Boolean(),
  status: { ...PaymentState, description: 'A pending one waits for the provider of the payment.' },
  provider_refund_id: Nullable(Type.String()),
  user_id: Nullable(Type.Integer()),
  created_at: Timestamp,
});
export type RecordedRefund = Static<typeof RecordedRefund>;
