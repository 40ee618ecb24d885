import { afterCommit, type Ctx, defineModule, inTransaction, type OperationTypes, sql } from '@chowk/kit';
import { actions } from './actions.ts';
import { jobs } from './deliver.ts';
import { erase, queueDeliveries } from './deliveries.ts';
import { errors } from './errors.ts';
import { events } from './events.ts';
import { operations } from './operations.ts';
import type { Webhook } from './schemas.ts';

export const module = defineModule({
  actions,
  operations,
  events,
  jobs,
  errors,
  listeners: [
    afterCommit('*', 'deliver', queueDeliveries, { onlyIf: () => sql`EXISTS (SELECT FROM webhooks WHERE is_active)` }),
    inTransaction('customer.deleted', 'erase', erase),
    afterCommit('webhook.disabled', 'mail', (ctx, { webhook }) => mailOwners(ctx, webhook)),
    afterCommit('webhook.disabled', 'notify-team', (ctx, { webhook }) => notifyTeam(ctx, webhook)),
  ],
  notifications: {
    'webhook.disabled': {
      description: 'A webhook was disabled because its deliveries failed',
      needs: 'settings.api_clients',
    },
  },
});

async function mailOwners(ctx: Ctx, { url }: Webhook): Promise<void> {
  await ctx.bus.call('identity.mailOwners', {
    subject: 'A webhook was disabled',
    paragraphs: [
      `The webhook to ${url} was disabled: the server refused it or did not accept any event for three days.`,
      'Repair the server, activate the webhook and deliver the failed events again.',
    ],
  });
}

async function notifyTeam(ctx: Ctx, { id, url }: Webhook): Promise<void> {
  await ctx.notify('members', {
    type: 'webhook.disabled',
    title: 'A webhook was disabled',
    body: `${url} refused events or did not accept any for three days. Repair the server, activate the webhook and deliver the failed events again.`,
    severity: 'warning',
    icon: 'AlertTriangle',
    action_url: `/developers/webhooks/${id}`,
    action_label: 'Open the webhook',
    data: { webhook_id: id },
    group_key: `webhook.disabled ${id}`,
  });
}

declare module '@chowk/kit/catalogue' {
  interface Operations {
    webhooks: OperationTypes<typeof actions & typeof operations>;
  }
}
