import { afterCommit, defineModule, type OperationTypes } from '@chowk/kit';
import { actions } from './actions.ts';
import { errors } from './errors.ts';
import { jobs } from './jobs.ts';
import { queueRefund } from './refunds.ts';
import { settings } from './settings.ts';

export const module = defineModule({
  actions,
  jobs,
  settings,
  errors,
  listeners: [afterCommit('order.refunded', 'refund', queueRefund)],
  notifications: { 'payment.refund_failed': { description: 'A refund failed', critical: true } },
});

declare module '@chowk/kit/catalogue' {
  interface Operations {
    payments: OperationTypes<typeof actions>;
  }
}
