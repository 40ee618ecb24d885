import { defineEvent, type EventsOf, Type, Uuid } from '@chowk/kit';
import { CustomerRecord, Deletion } from './schemas.ts';

const about = ({ customer }: { customer: CustomerRecord }) => customer.id;

export const events = {
  'customer.created': defineEvent({
    summary: 'A customer was created',
    payload: Type.Object({ customer: CustomerRecord }),
    about,
  }),
  'customer.updated': defineEvent({
    summary: 'Fields of a customer were changed',
    payload: Type.Object({ customer: CustomerRecord, changed: Type.Array(Type.String()) }),
    about,
  }),
  'customer.merging': defineEvent({
    summary: 'Two customers are about to be merged; a listener in the transaction can still combine rows of both',
    payload: Type.Object({ primary: CustomerRecord, secondary: CustomerRecord }),
    about: ({ primary }) => primary.id,
  }),
  'customer.merged': defineEvent({
    summary: 'Two customers were merged and all rows of the removed customer were moved',
    payload: Type.Object({ customer: CustomerRecord, removed_id: Uuid }),
    about,
  }),
  'customer.deleted': defineEvent({
    summary: 'A customer was deleted or anonymized',
    payload: Type.Object({ id: Uuid, mode: Deletion.properties.mode }),
    about: ({ id }) => id,
  }),
};

declare module '@chowk/kit/catalogue' {
  interface Events extends EventsOf<typeof events> {}
}
