import type { OrderDay } from '@chowk/client';

/** Days summed by seven, the earliest first, each with its first date. The average of a week is that of its orders. */
export function inWeeks(days: readonly OrderDay[]): readonly OrderDay[] {
  const weeks = Map.groupBy(days, (_, index) => Math.floor(index / 7));
  return [...weeks.values()].map((week) => {
    const sum = (key: 'revenue' | 'net_revenue' | 'refunded') =>
      String(week.reduce((total, day) => total + Number(day[key]), 0));
    const orders = week.reduce((total, day) => total + day.orders, 0);
    return {
      date: week[0]?.date ?? '',
      orders,
      revenue: sum('revenue'),
      net_revenue: sum('net_revenue'),
      refunded: sum('refunded'),
      avg_order_value: String(orders === 0 ? 0 : Number(sum('revenue')) / orders),
    };
  });
}
