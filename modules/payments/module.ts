import { afterCommit, defineModule, inTransaction, type OperationTypes, sql } from '@chowk/kit';
import { actions } from './actions.ts';
import { cancelErased } from './erasure.ts';
import { errors } from './errors.ts';
import { jobs } from './jobs.ts';
import { cancelIfClosed, queueCancellations } from './links.ts';
import { queueRefund } from './refunds.ts';
import { settings } from './settings.ts';

const ifOpen = { onlyIf: () => sql`EXISTS (SELECT FROM payment_links WHERE status IN ('creating', 'open'))` };

export const module = defineModule({
  actions,
  jobs,
  settings,
  errors,
  listeners: [
    inTransaction('customer.erasing', 'cancel_erased', cancelErased),
    afterCommit('order.refunded', 'refund', queueRefund),
    afterCommit('order.status_changed', 'cancel_links', cancelIfClosed, ifOpen),
    afterCommit('order.deleted', 'cancel_deleted', (ctx, { order }) => queueCancellations(ctx, order.id), ifOpen),
  ],
  notifications: { 'payment.refund_failed': { description: 'A refund failed', critical: true } },
});

declare module '@chowk/kit/catalogue' {
  interface Operations {
    payments: OperationTypes<typeof actions>;
  }
}
