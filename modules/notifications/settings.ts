import { Line, type SettingTypes, setting, Type } from '@chowk/kit';

const Provider = Type.Enum(['log', 'twilio', 'webhook']);

const providerFor = (channel: string) =>
  setting({
    schema: Provider,
    default: 'log',
    description: `Sends ${channel} messages: \`log\` (a line in the log, nothing is sent), \`twilio\` or \`webhook\`.`,
  });

export const settings = {
  'notifications.sms_provider': providerFor('SMS'),
  'notifications.whatsapp_provider': providerFor('WhatsApp'),
  'notifications.reply_to': setting({
    schema: Line(254, { minLength: 0, pattern: '^$|^[^\\s@,<>"]+@[^\\s@,<>"]+$' }),
    default: '',
    description:
      'The address to which customers answer mails while neither the platform nor an own mailbox receives them. Answers there do not ' +
      'come back to conversations. Empty: the sender of the platform.',
  }),
  'notifications.retention_days': setting({
    schema: Type.Integer({ minimum: 1, maximum: 3650 }),
    default: 180,
    description: 'Days to keep notifications.',
  }),
  'notifications.message_retention_days': setting({
    schema: Type.Integer({ minimum: 1, maximum: 3650 }),
    default: 90,
    description: 'Days to keep messages to customers.',
  }),
};

declare module '@chowk/kit/catalogue' {
  interface Settings extends SettingTypes<typeof settings> {}
}
