import { type SettingTypes, setting, Type } from '@chowk/kit';

export const settings = {
  'pricing.prices_include_tax': setting({
    schema: Type.Boolean(),
    default: false,
    description: 'Whether prices of products and shipping include taxes.',
  }),
  'pricing.tax_shipping': setting({
    schema: Type.Boolean(),
    default: true,
    description: 'Whether shipping is taxed, with the rates of the class `standard` that include shipping.',
  }),
  'pricing.state': setting({
    schema: Type.String({ maxLength: 100, pattern: '^[^\\p{Cc}\\p{Cs}]*$' }),
    default: '',
    description: 'The state of the shop, as a name or a code. Orders without an address are taxed as in this state.',
  }),
};

declare module '@chowk/kit/catalogue' {
  interface Settings extends SettingTypes<typeof settings> {}
}
