import { type Ctx, defineEvent, type EventTypes, Type, Uuid } from '@chowk/kit';
import { mask } from './columns.ts';
import { CustomerRecord, Deletion } from './schemas.ts';

const needs = 'customers.view';
const common = {
  subject: ({ customer }: { customer: CustomerRecord }) => customer.id,
  needs,
  mask: <Payload extends { customer: CustomerRecord }>(ctx: Ctx, payload: Payload) => ({
    ...payload,
    customer: mask(ctx, payload.customer),
  }),
};

export const events = {
  'customer.created': defineEvent({
    ...common,
    summary: 'A customer was created',
    payload: Type.Object({ customer: CustomerRecord }),
    graphql: 'customerCreated',
  }),
  'customer.updated': defineEvent({
    ...common,
    summary: 'Fields of a customer were changed',
    payload: Type.Object({ customer: CustomerRecord, changed: Type.Array(Type.String()) }),
    graphql: 'customerUpdated',
  }),
  'customer.merging': defineEvent({
    summary: 'Two customers are about to be merged; a listener in the transaction can still combine rows of both',
    internal: true,
    payload: Type.Object({ primary: CustomerRecord, secondary: CustomerRecord }),
    subject: ({ primary }) => primary.id,
    needs,
  }),
  'customer.merged': defineEvent({
    ...common,
    summary: 'Two customers were merged and all rows of the removed customer were moved',
    payload: Type.Object({ customer: CustomerRecord, removed_id: Uuid }),
    graphql: 'customerMerged',
  }),
  'customer.erasing': defineEvent({
    summary: 'All personal data of a customer is about to be removed; a listener in the transaction can still read it',
    internal: true,
    payload: Type.Object({ id: Uuid, mode: Type.Enum(['anonymize', 'hard']) }),
    subject: ({ id }) => id,
    needs,
  }),
  'customer.deleted': defineEvent({
    summary: 'A customer was deleted or anonymized',
    payload: Type.Object({ id: Uuid, mode: Deletion.properties.mode }),
    subject: ({ id }) => id,
    graphql: 'customerDeleted',
    needs,
  }),
};

declare module '@chowk/kit/catalogue' {
  interface Events extends EventTypes<typeof events> {}
}
