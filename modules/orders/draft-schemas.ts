import {
  extend,
  Money,
  NamedObject,
  Nullable,
  named,
  type Static,
  Timestamp,
  Type,
  Uuid,
  updateSchema,
} from '@chowk/kit';
import { OrderPreview, OrderProblem } from './preview.ts';
import { NewOrder, OrderCustomer } from './schemas.ts';

const { customer: _customer, customer_id: _id, ...content } = NewOrder.properties;
/** What the order is created from, besides the customer. */
const DraftContent = NamedObject('DraftOrderContent', content, {
  description: 'The order as it was sent. Street lines and phones are null without customers.view_sensitive.',
});
export type DraftContent = Static<typeof DraftContent>;

export const DraftOrder = NamedObject('DraftOrder', {
  id: Uuid,
  customer_id: Nullable(Uuid),
  customer: Nullable(OrderCustomer),
  input: DraftContent,
  currency: Type.String({ examples: ['INR'] }),
  total: { ...Money, description: 'As calculated when the draft was saved.' },
  order_id: { ...Nullable(Uuid), description: 'The order that was created from it.' },
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type DraftOrder = Static<typeof DraftOrder>;

export const DraftDetails = named(
  'DraftOrderDetails',
  extend(DraftOrder, {
    preview: {
      ...Nullable(OrderPreview),
      description:
        'What the order would cost now; null if it cannot be calculated, for example because a product is gone.',
    },
    problems: Type.Array(OrderProblem, { description: 'Why the order cannot be created now.' }),
  }),
  { graphqlType: 'DraftOrder' },
);
export type DraftDetails = Static<typeof DraftDetails>;

export const DraftChanges = named('DraftOrderChanges', extend(updateSchema(NewOrder), { id: Uuid }));
export type DraftChanges = Static<typeof DraftChanges>;
