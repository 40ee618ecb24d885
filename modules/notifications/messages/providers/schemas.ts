import { Line, NamedObject, Nullable, NullableLine, outputFields, type Static, Timestamp, Type } from '@chowk/kit';

const sender = '^(\\+[1-9]\\d{4,14}|MG[0-9a-f]{32})$';
const senderRules = {
  pattern: sender,
  description: 'A phone number in E.164, or the id of a messaging service.',
  examples: ['+14155552671'],
};

const TwilioOptions = Type.Object({
  account_sid: Line(34, { pattern: '^AC[0-9a-f]{32}$', examples: ['AC00000000000000000000000000000000'] }),
  sms_from: Type.Optional(NullableLine(34, senderRules)),
  whatsapp_from: Type.Optional(NullableLine(34, senderRules)),
});
export const TwilioInput = NamedObject('TwilioAccountChanges', {
  ...TwilioOptions.properties,
  auth_token: Type.Optional(Line(200, { description: 'Not shown again. Required for a new `account_sid`.' })),
});
export type TwilioInput = Static<typeof TwilioInput>;
export const TwilioAccount = NamedObject('TwilioAccount', { ...outputFields(TwilioOptions), updated_at: Timestamp });

const WebhookOptions = Type.Object({
  url: Line(2_048, {
    description: 'Gets a POST request for each message. Must be `https` on the public internet.',
    examples: ['https://sms.example.com/messages'],
  }),
});
export const WebhookInput = WebhookOptions;
export const MessageWebhook = NamedObject('MessageWebhook', {
  ...outputFields(WebhookOptions),
  previous_secret_expires_at: Nullable(Timestamp),
  updated_at: Timestamp,
});

export const MessageWebhookWithSecret = NamedObject('MessageWebhookWithSecret', {
  webhook: MessageWebhook,
  secret: Type.Unsafe<string | null>({
    ...Nullable(Type.String()),
    description: 'Verifies signatures. Shown only once; null if it has not changed.',
  }),
});

export const MessageProviders = NamedObject('MessageProviders', {
  twilio: Nullable(TwilioAccount),
  webhook: Nullable(MessageWebhook),
});

export interface Options {
  readonly twilio: {
    readonly account_sid: string;
    readonly sms_from?: string | null;
    readonly whatsapp_from?: string | null;
  };
  readonly webhook: { readonly url: string };
}
