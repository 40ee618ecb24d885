import { action, ById } from '@chowk/kit';
import { checkNewDraft } from './create.ts';
import { DraftChanges, DraftDetails } from './draft-schemas.ts';
import { checkDraftChanges, createDraft, deleteDraft, draftList, getDraft, updateDraft } from './drafts.ts';
import { unavailable } from './errors.ts';
import { checkPlacing, placeDraft } from './place-draft.ts';
import { NewOrder, Order } from './schemas.ts';

const tag = 'Draft orders';

export const tags = { [tag]: 'Orders that are prepared and not placed yet.' };

export const draftActions = {
  'orders.listDrafts': action({
    tag,
    summary: 'List draft orders',
    http: 'GET /draft-orders',
    graphql: 'draftOrders',
    needs: 'orders.view',
    ...draftList.paged,
  }),
  'orders.createDraft': action({
    tag,
    summary: 'Create a draft order',
    description:
      'Takes the same fields as an order, which it becomes when it is placed. It reserves no stock and uses no discount codes. The ' +
      'customer is found or created as for an order, if there is one.',
    http: 'POST /draft-orders',
    example: { customer: { phone: '+919876543210' }, items: [{ sku: 'TEA-250', quantity: 2 }] },
    graphql: 'createDraftOrder',
    needs: 'orders.create',
    bus: { rateLimit: 1_200 },
    input: NewOrder,
    output: DraftDetails,
    answer: { key: 'draft_order', message: 'Draft order created.', status: 201 },
    errors: ['orders.no_customers'],
    atomic: true,
    check: checkNewDraft,
    run: createDraft,
  }),
  'orders.getDraft': action({
    tag,
    summary: 'Get a draft order',
    description: 'With what it would cost now and what would prevent the order.',
    http: 'GET /draft-orders/:id',
    graphql: 'draftOrder',
    needs: 'orders.view',
    bus: { rateLimit: 3_000 },
    input: ById,
    output: DraftDetails,
    answer: { key: 'draft_order' },
    errors: ['orders.draft_not_found'],
    run: getDraft,
  }),
  'orders.updateDraft': action({
    tag,
    summary: 'Update a draft order',
    description: 'Fields that are not sent do not change; items are replaced as a whole.',
    http: 'PATCH /draft-orders/:id',
    example: { note: 'Call before you deliver.' },
    graphql: 'updateDraftOrder',
    needs: 'orders.create',
    input: DraftChanges,
    output: DraftDetails,
    answer: { key: 'draft_order', message: 'Draft order saved.' },
    errors: ['orders.draft_not_found', 'orders.draft_placed', 'orders.no_customers', 'http.precondition_failed'],
    atomic: true,
    check: checkDraftChanges,
    run: updateDraft,
  }),
  'orders.deleteDraft': action({
    tag,
    summary: 'Delete a draft order',
    description: 'The order that was created from it stays.',
    http: 'DELETE /draft-orders/:id',
    graphql: 'deleteDraftOrder',
    needs: 'orders.create',
    input: ById,
    answer: { message: 'Draft order deleted.' },
    errors: ['orders.draft_not_found', 'http.precondition_failed'],
    atomic: true,
    run: deleteDraft,
  }),
  'orders.placeDraft': action({
    tag,
    summary: 'Create the order of a draft',
    description: 'Creates it once: if it exists already, it is returned.',
    http: 'POST /draft-orders/:id/place',
    graphql: 'placeDraftOrder',
    needs: 'orders.create',
    bus: { rateLimit: 1_200 },
    input: ById,
    output: Order,
    answer: { key: 'order', message: 'Order created.', status: 201 },
    errors: [
      'orders.draft_not_found',
      'orders.not_found',
      'orders.no_customers',
      'http.precondition_failed',
      ...unavailable,
    ],
    atomic: true,
    check: checkPlacing,
    run: placeDraft,
  }),
};
