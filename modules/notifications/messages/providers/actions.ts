import { action } from '@chowk/kit';
import { describeProviders, testChannel } from '../channel-states.ts';
import { checkWebhook, deleteProvider, rotateSecret, saveTwilio, saveWebhook } from './accounts.ts';
import {
  ChannelTest,
  ChannelTestResult,
  MessageProviders,
  MessageWebhookWithSecret,
  TwilioAccount,
  TwilioInput,
  WebhookInput,
} from './schemas.ts';

const needs = 'settings.api_clients';

export const providerActions = {
  'notifications.getProviders': action({
    summary: 'Get the channels to customers, and the accounts at providers of text messages',
    description:
      'Without their secrets. The settings `notifications.sms_provider` and `notifications.whatsapp_provider` choose one.',
    http: 'GET /message-providers',
    graphql: 'messageProviders',
    needs,
    output: MessageProviders,
    run: describeProviders,
  }),
  'notifications.testChannel': action({
    summary: 'Send a test message over a channel',
    description:
      'At once, and counted as a message to a customer. A provider that has accepted it may still fail to deliver it.',
    http: 'POST /message-providers/test',
    example: { channel: 'sms', to: '+919876543210' },
    graphql: 'testMessageChannel',
    needs,
    limit: { perMinute: 10, by: 'network' },
    sendsRequests: true,
    input: ChannelTest,
    output: ChannelTestResult,
    run: testChannel,
  }),
  'notifications.saveTwilio': action({
    summary: 'Set the Twilio account',
    http: 'PUT /message-providers/twilio',
    graphql: 'saveTwilioAccount',
    needs,
    input: TwilioInput,
    output: TwilioAccount,
    answer: { key: 'twilio', message: 'Twilio account saved.' },
    run: saveTwilio,
  }),
  'notifications.saveWebhook': action({
    summary: 'Set the webhook that sends text messages',
    description:
      'Its secret is shown only once. It gets phone numbers and texts, so this also needs `customers.view_sensitive`.',
    http: 'PUT /message-providers/webhook',
    graphql: 'saveMessageWebhook',
    needs,
    input: WebhookInput,
    output: MessageWebhookWithSecret,
    answer: { message: 'Webhook saved.' },
    check: checkWebhook,
    run: saveWebhook,
  }),
  'notifications.rotateWebhookSecret': action({
    summary: 'Replace the secret of the webhook that sends text messages',
    description: 'The new one is shown only once. For 24 hours requests are signed with both.',
    http: 'POST /message-providers/webhook/secret',
    graphql: 'rotateMessageWebhookSecret',
    needs,
    output: MessageWebhookWithSecret,
    answer: { message: 'Secret replaced.' },
    errors: ['notifications.provider_not_found'],
    run: rotateSecret,
  }),
  'notifications.deleteTwilio': action({
    summary: 'Delete the Twilio account',
    http: 'DELETE /message-providers/twilio',
    graphql: 'deleteTwilioAccount',
    needs,
    answer: { message: 'Twilio account deleted.' },
    errors: ['notifications.provider_not_found'],
    run: (ctx) => deleteProvider(ctx, 'twilio'),
  }),
  'notifications.deleteWebhook': action({
    summary: 'Delete the webhook that sends text messages',
    http: 'DELETE /message-providers/webhook',
    graphql: 'deleteMessageWebhook',
    needs,
    answer: { message: 'Webhook deleted.' },
    errors: ['notifications.provider_not_found'],
    run: (ctx) => deleteProvider(ctx, 'webhook'),
  }),
};
