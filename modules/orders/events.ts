import { defineEvent, type EventsOf, Nullable, Type } from '@chowk/kit';
import { Order, Status } from './schemas.ts';

const about = ({ order }: { order: Order }) => order.id;

export const events = {
  'order.created': defineEvent({ summary: 'An order was created', payload: Type.Object({ order: Order }), about }),
  'order.updated': defineEvent({
    summary: 'Fields other than the status were changed',
    payload: Type.Object({ order: Order, changed: Type.Array(Type.String()) }),
    about,
  }),
  'order.status_changed': defineEvent({
    summary: 'The status was changed, possibly with other fields',
    payload: Type.Object({ order: Order, previous_status: Status, reason: Nullable(Type.String()) }),
    about,
  }),
  'order.deleted': defineEvent({ summary: 'An order was deleted', payload: Type.Object({ order: Order }), about }),
};

declare module '@chowk/kit/catalogue' {
  interface Events extends EventsOf<typeof events> {}
}
