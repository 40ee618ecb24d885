import { action, Message } from '@chowk/kit';
import { maxAttachments, SignedReceipt, SignedRequest } from './schemas.ts';
import { receiveStatus, receiveText } from './twilio-callbacks.ts';
import { receiveFromWebhook } from './webhook-callbacks.ts';

const signed = {
  public: true,
  graphql: false,
  limit: { perMinute: 6_000, by: 'network' },
  accepts: 'signed',
  bodyLimit: 262_144,
  errors: ['notifications.bad_signature'],
} as const;

export const callbackActions = {
  'notifications.receiveTwilioStatus': action({
    ...signed,
    summary: 'Receive a report of Twilio about a message',
    description: 'Twilio signs its requests. Reports may come twice and in any order.',
    http: 'POST /message-providers/twilio/status/:id',
    input: SignedReceipt,
    run: receiveStatus,
  }),
  'notifications.receiveTwilioMessage': action({
    ...signed,
    summary: 'Receive a text message of a customer from Twilio',
    description: 'For the address of incoming messages at Twilio. Each message is added to a conversation once.',
    http: 'POST /message-providers/twilio/inbound',
    input: SignedRequest,
    run: receiveText,
  }),
  'notifications.receiveWebhookMessage': action({
    ...signed,
    summary: 'Receive a message of a customer, or a report about a message, from a server of the tenant',
    description:
      'Signed with the secret of `PUT /message-providers/webhook`, as Standard Webhooks describes. `message.received` has `id`, ' +
      '`channel`, `from` (`phone`, `email`, `name`), `subject` and `body` in `data`, and may have `in_reply_to` (the `id` of a ' +
      `message that the server sent or got), \`sent_at\`, and up to ${maxAttachments} \`attachments\` (\`url\`, \`file_name\`), ` +
      'which are fetched; `message.delivered`, `message.read` and `message.failed` have the `id` of a message that the server got, and `reason`.',
    http: 'POST /message-providers/webhook/inbound',
    input: SignedRequest,
    output: Message,
    run: async (ctx, request) => {
      await receiveFromWebhook(ctx, request);
      return { message: 'Received.' };
    },
  }),
};
