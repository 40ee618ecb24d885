import { Default, Money, NamedObject, type Static, Type } from '@chowk/kit';

const sums = {
  orders: Type.Integer({ description: 'Without pending, cancelled and failed orders; in all currencies.' }),
  revenue: { ...Money, description: 'Totals of the orders, with taxes and shipping, before refunds.' },
  net_revenue: {
    ...Money,
    description: 'Totals without taxes and shipping, less the part of them that was refunded.',
  },
  refunded: { ...Money, description: 'What was refunded of these orders, whenever that was.' },
  avg_order_value: { ...Money, description: 'The average total of an order.' },
};
const OrderDay = NamedObject('OrderDay', { date: Type.String({ format: 'date', examples: ['2026-01-31'] }), ...sums });
const CurrencySums = NamedObject('OrderCurrencySums', { currency: Type.String({ examples: ['EUR'] }), ...sums });

const OrderPeriod = NamedObject('OrderPeriod', {
  ...sums,
  days: Type.Array(OrderDay, { description: 'Every day, the earliest first.' }),
  other_currencies: Type.Array(CurrencySums, { description: 'The orders whose amounts are not in the revenue.' }),
});
export type OrderPeriod = Static<typeof OrderPeriod>;

export const OrderStatistics = NamedObject('OrderStatistics', {
  days: Type.Integer(),
  currency: Type.String({ description: "The tenant's currency: that of all amounts.", examples: ['INR'] }),
  timezone: Type.String({ examples: ['Asia/Kolkata'] }),
  current: OrderPeriod,
  previous: OrderPeriod,
});
export type OrderStatistics = Static<typeof OrderStatistics>;

export const StatisticsQuery = Type.Object({
  days: Default(Type.Integer({ minimum: 1, maximum: 366, examples: [7] }), 30),
});
