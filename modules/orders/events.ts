import { type Ctx, defineEvent, type EventTypes, extend, Nullable, named, Type } from '@chowk/kit';
import { maskOrder } from './masking.ts';
import { OrderPayment, PaymentState, RecordedRefund } from './payment-schemas.ts';
import { Order, Status } from './schemas.ts';
import { Shipment } from './shipment-schemas.ts';

const common = {
  subject: ({ order }: { order: Order }) => order.id,
  needs: 'orders.view',
  mask: <Payload extends { order: Order }>(ctx: Ctx, payload: Payload) => ({
    ...payload,
    order: maskOrder(ctx, payload.order),
  }),
};

const { provider, provider_payment_id } = OrderPayment.properties;
/** With the payment that the provider is to refund. */
const EmittedRefund = named('EmittedRefund', extend(RecordedRefund, { provider, provider_payment_id }));

export const events = {
  'order.created': defineEvent({
    ...common,
    summary: 'An order was created',
    payload: Type.Object({ order: Order }),
    graphql: 'orderCreated',
  }),
  'order.updated': defineEvent({
    ...common,
    summary: 'Fields other than the status were changed',
    payload: Type.Object({ order: Order, changed: Type.Array(Type.String()) }),
    graphql: 'orderUpdated',
  }),
  'order.status_changed': defineEvent({
    ...common,
    summary: 'The status was changed, possibly with other fields',
    payload: Type.Object({ order: Order, previous_status: Status, reason: Nullable(Type.String()) }),
    graphql: 'orderStatusChanged',
  }),
  'order.payment_added': defineEvent({
    ...common,
    summary: 'A payment was recorded, or reported by its provider',
    payload: Type.Object({ order: Order, payment: OrderPayment }),
    graphql: 'orderPaymentAdded',
  }),
  'order.payment_updated': defineEvent({
    ...common,
    summary: 'A payment has another status: a pending one has succeeded or failed, or a succeeded one has failed',
    payload: Type.Object({ order: Order, payment: OrderPayment, previous_status: PaymentState }),
    graphql: 'orderPaymentUpdated',
  }),
  'order.refunded': defineEvent({
    ...common,
    summary: 'An amount was refunded; of a payment by a provider, it is pending until order.refund_settled',
    payload: Type.Object({ order: Order, refund: EmittedRefund }),
    graphql: 'orderRefunded',
  }),
  'order.refund_settled': defineEvent({
    ...common,
    summary: 'A refund has succeeded or failed: when its provider has reported it, at once if it has none',
    payload: Type.Object({ order: Order, refund: EmittedRefund }),
    graphql: 'orderRefundSettled',
  }),
  'order.shipped': defineEvent({
    ...common,
    summary: 'Items of an order were shipped',
    payload: Type.Object({
      order: Order,
      shipment: Shipment,
      notify: Type.Boolean({ description: 'Whether the customer is to get a message about it.' }),
    }),
    graphql: 'orderShipped',
  }),
  'order.shipment_cancelled': defineEvent({
    ...common,
    summary: 'A shipment was cancelled: its items are not shipped any more',
    payload: Type.Object({ order: Order, shipment: Shipment }),
    graphql: 'orderShipmentCancelled',
  }),
  'order.deleted': defineEvent({
    ...common,
    summary: 'An order was deleted',
    payload: Type.Object({ order: Order }),
    graphql: 'orderDeleted',
  }),
};

declare module '@chowk/kit/catalogue' {
  interface Events extends EventTypes<typeof events> {}
}
