import { type Ctx, defineEvent, type EventTypes, Nullable, Type } from '@chowk/kit';
import { maskOrder } from './masking.ts';
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
