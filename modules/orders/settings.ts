import { type SettingTypes, setting, Type } from '@chowk/kit';

export const settings = {
  'orders.number_prefix': setting({
    schema: Type.String({ maxLength: 20, pattern: '^([^\\p{Cc}]*[^\\p{Cc}\\d])?$' }),
    default: '',
    description: 'The prefix of order numbers. It must not end with a digit.',
  }),
};

declare module '@chowk/kit/catalogue' {
  interface Settings extends SettingTypes<typeof settings> {}
}
