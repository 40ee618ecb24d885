import { Line, NamedObject, Nullable, NullableLine, outputFields, type Static, Timestamp, Type } from '@chowk/kit';

const sender = '^(\\+[1-9]\\d{4,14}|MG[0-9a-f]{32})$';
const senderRules = {
  pattern: sender,
  description: 'A phone number in E.164, or the id of a messaging service.',
  examples: ['+14155552671'],
};

const TwilioOptions = Type.Object({
  account_sid: Line(34, {
    pattern: '^AC[0-9a-f]{32}$',
    description: 'AC and 32 digits or letters from a to f.',
    examples: ['AC00000000000000000000000000000000'],
  }),
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

export const Channel = Type.Enum(['email', 'sms', 'whatsapp']);
export type Channel = Static<typeof Channel>;
const MessageChannel = NamedObject('MessageChannel', {
  channel: Channel,
  provider: Type.Enum(['mail', 'log', 'twilio', 'webhook']),
  sender: { ...Nullable(Type.String()), description: 'What customers see as the sender, if the platform knows it.' },
  obstacle: { ...Nullable(Type.String()), description: 'Why messages are not sent now; null if they are.' },
});
export type MessageChannel = Static<typeof MessageChannel>;

const CallbackUrl = (description: string) => Type.String({ description });
export const MessageProviders = NamedObject('MessageProviders', {
  twilio: Nullable(TwilioAccount),
  webhook: Nullable(MessageWebhook),
  twilio_callback_url: CallbackUrl('To be entered at Twilio for incoming messages.'),
  webhook_callback_url: CallbackUrl('Where a server of the tenant sends messages of customers and reports.'),
  channels: Type.Array(MessageChannel),
});

export const ChannelTest = NamedObject('MessageChannelTest', {
  channel: Channel,
  to: Line(254, { description: 'An email address or a phone number.', examples: ['+919876543210'] }),
});
export type ChannelTest = Static<typeof ChannelTest>;
export const ChannelTestResult = NamedObject('MessageChannelTestResult', {
  is_sent: Type.Boolean({ description: 'Whether the provider or the mail server has accepted the message.' }),
  reason: { ...Nullable(Type.String()), description: 'Why it was not sent.' },
});
export type ChannelTestResult = Static<typeof ChannelTestResult>;

export interface Options {
  readonly twilio: {
    readonly account_sid: string;
    readonly sms_from?: string | null;
    readonly whatsapp_from?: string | null;
  };
  readonly webhook: { readonly url: string };
}
