import { type SettingTypes, setting, Type } from '@chowk/kit';

export const settings = {
  'customers.vip_order_threshold': setting({
    schema: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
    default: 10,
    description: 'Customers with at least this many orders are VIPs.',
  }),
  'customers.vip_spend_threshold': setting({
    schema: Type.Number({ minimum: 0, maximum: 9_999_999_999.99 }),
    default: 50_000,
    description: "Customers who have spent at least this much, in the tenant's currency, are VIPs.",
  }),
};

declare module '@chowk/kit/catalogue' {
  interface Settings extends SettingTypes<typeof settings> {}
}
