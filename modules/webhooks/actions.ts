import { action, ById, extend, type OperationsOf, Type, Uuid } from '@chowk/kit';
import { pagedDeliveries, redeliver, sendTest } from './deliveries.ts';
import { NewWebhook, Webhook, WebhookChanges, WebhookDelivery, WebhookEvent, WebhookWithSecret } from './schemas.ts';
import {
  createWebhook,
  deleteWebhook,
  explainWebhook,
  getWebhook,
  listEvents,
  rotateSecret,
  updateWebhook,
  webhookList,
} from './webhooks.ts';

const needs = 'settings.api_clients';

export const actions = {
  'webhooks.list': action({
    summary: 'List webhooks',
    http: 'GET /webhooks',
    graphql: 'webhooks',
    needs,
    ...webhookList.paged,
  }),
  'webhooks.create': action({
    summary: 'Create a webhook',
    description:
      'Its secret is shown only once. Payloads are not masked, so this also needs `customers.view_sensitive`.',
    http: 'POST /webhooks',
    graphql: 'createWebhook',
    needs,
    input: NewWebhook,
    output: WebhookWithSecret,
    answer: { message: 'Webhook created.', status: 201 },
    errors: ['webhooks.too_many'],
    run: createWebhook,
    explain: explainWebhook,
  }),
  'webhooks.events': action({
    summary: 'List the events that webhooks can receive',
    http: 'GET /webhooks/events',
    graphql: 'webhookEvents',
    needs,
    output: Type.Object({ events: Type.Array(WebhookEvent) }),
    run: listEvents,
  }),
  'webhooks.get': action({
    summary: 'Get a webhook',
    http: 'GET /webhooks/:id',
    graphql: 'webhook',
    needs,
    input: ById,
    output: Webhook,
    answer: { key: 'webhook' },
    errors: ['webhooks.not_found'],
    run: getWebhook,
  }),
  'webhooks.update': action({
    summary: 'Update a webhook',
    description:
      'Fields that are not sent do not change. Changing `url` or `events` also needs `customers.view_sensitive`.',
    http: 'PATCH /webhooks/:id',
    graphql: 'updateWebhook',
    needs,
    input: WebhookChanges,
    output: Webhook,
    answer: { key: 'webhook', message: 'Webhook saved.' },
    errors: ['webhooks.not_found', 'http.precondition_failed'],
    run: updateWebhook,
    explain: explainWebhook,
  }),
  'webhooks.delete': action({
    summary: 'Delete a webhook',
    description: 'Deletes its deliveries too.',
    http: 'DELETE /webhooks/:id',
    graphql: 'deleteWebhook',
    needs,
    input: ById,
    answer: { message: 'Webhook deleted.' },
    errors: ['webhooks.not_found', 'http.precondition_failed'],
    run: deleteWebhook,
  }),
  'webhooks.rotateSecret': action({
    summary: 'Replace the secret of a webhook',
    description: 'The new one is shown only once. For 24 hours requests are signed with both.',
    http: 'POST /webhooks/:id/secret',
    graphql: 'rotateWebhookSecret',
    needs,
    input: ById,
    output: WebhookWithSecret,
    answer: { message: 'Secret replaced.' },
    errors: ['webhooks.not_found', 'http.precondition_failed'],
    run: rotateSecret,
  }),
  'webhooks.test': action({
    summary: 'Send a test event to a webhook',
    description: 'Queues an event of the type `webhook.test`.',
    http: 'POST /webhooks/:id/test',
    graphql: 'testWebhook',
    needs,
    input: ById,
    output: WebhookDelivery,
    answer: { key: 'delivery', message: 'Test event queued.', status: 202 },
    errors: ['webhooks.not_found', 'webhooks.inactive'],
    run: sendTest,
  }),
  'webhooks.deliveries': action({
    summary: 'List the deliveries of a webhook',
    description: 'Deliveries are kept for 30 days.',
    http: 'GET /webhooks/:id/deliveries',
    graphql: 'webhookDeliveries',
    needs,
    errors: ['webhooks.not_found'],
    ...pagedDeliveries,
  }),
  'webhooks.redeliver': action({
    summary: 'Deliver an event to a webhook again',
    description: 'Only while its payload is stored: until it is delivered.',
    http: 'POST /webhooks/:id/deliveries/:delivery/redeliver',
    graphql: 'redeliverWebhook',
    needs,
    input: extend(ById, { delivery: Uuid }),
    output: WebhookDelivery,
    answer: { key: 'delivery', message: 'Delivery queued.', status: 202 },
    errors: ['webhooks.not_found', 'webhooks.delivery_not_found', 'webhooks.inactive', 'webhooks.payload_deleted'],
    run: redeliver,
  }),
};

declare module '@chowk/kit/catalogue' {
  interface Operations extends OperationsOf<typeof actions> {}
}
