import { type SettingTypes, setting, Type } from '@chowk/kit';

export const settings = {
  'conversations.reopen_days': setting({
    schema: Type.Integer({ minimum: 0, maximum: 365 }),
    default: 14,
    description:
      'A message of a customer reopens a conversation that was closed at most this many days ago; later, it begins a new one.',
  }),
};

declare module '@chowk/kit/catalogue' {
  interface Settings extends SettingTypes<typeof settings> {}
}
