import { type SettingTypes, setting, Type } from '@chowk/kit';

export const settings = {
  'orders.number_prefix': setting({
    schema: Type.String({ maxLength: 20, pattern: '^([^\\p{Cc}]*[^\\p{Cc}\\d])?$' }),
    default: '',
    description: 'The prefix of order numbers. It must not end with a digit.',
  }),
  'orders.track_stock': setting({
    schema: Type.Boolean(),
    default: true,
    description:
      'Whether new orders reserve the stock of their items. Once there are products, an item with an unknown SKU is refused then.',
  }),
};

declare module '@chowk/kit/catalogue' {
  interface Settings extends SettingTypes<typeof settings> {}
}
