import { type SettingTypes, setting, Type } from '@chowk/kit';

export const settings = {
  'products.low_stock_threshold': setting({
    schema: Type.Integer({ minimum: 0, maximum: 1_000_000 }),
    default: 5,
    description: 'Products with this many available units or fewer are low on stock.',
  }),
};

declare module '@chowk/kit/catalogue' {
  interface Settings extends SettingTypes<typeof settings> {}
}
