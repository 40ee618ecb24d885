import { type SettingTypes, setting, Type } from '@chowk/kit';
import { PaymentMethod } from './payment-schemas.ts';

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
  'orders.payment_methods': setting({
    schema: Type.Array(PaymentMethod, { maxItems: 20 }),
    default: ['cash', 'upi', 'card', 'bank_transfer'],
    description:
      'The methods that the console offers for payments that are recorded by hand. Others can be recorded too.',
  }),
};

declare module '@chowk/kit/catalogue' {
  interface Settings extends SettingTypes<typeof settings> {}
}
