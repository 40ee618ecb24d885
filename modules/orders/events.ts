import { type Ctx, defineEvent, type EventTypes, Money, Nullable, Type, Uuid } from '@chowk/kit';
import { maskOrder } from './masking.ts';
import { Order, Status } from './schemas.ts';

const common = {
  subject: ({ order }: { order: Order }) => order.id,
  needs: 'orders.view',
  mask: <Payload extends { order: Order }>(ctx: Ctx, payload: Payload) => ({
    ...payload,
    order: maskOrder(ctx, payload.order),
  }),
};

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
  'order.refunded': defineEvent({
    ...common,
    summary: 'Money was given back',
    payload: Type.Object({
      order: Order,
      refund: Type.Object({
        id: Uuid,
        amount: Money,
        provider: Nullable(Type.String()),
        provider_payment_id: Nullable(Type.String()),
        payment_id: Nullable(Uuid),
      }),
    }),
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
