import { expect, test } from 'vitest';
import { inWeeks } from './weeks.ts';

const day = (date: string, orders: number, revenue: string) => ({
  date,
  orders,
  revenue,
  net_revenue: revenue,
  refunded: '0.00',
  avg_order_value: '0.00',
});

test('days are summed by week, and the average is that of the orders', () => {
  const days = [
    day('2026-01-01', 1, '10.00'),
    ...['02', '03', '04', '05', '06'].map((date) => day(`2026-01-${date}`, 0, '0.00')),
    day('2026-01-07', 3, '70.00'),
    day('2026-01-08', 2, '5.00'),
  ];
  expect(
    inWeeks(days).map(({ date, orders, revenue, avg_order_value }) => [date, orders, revenue, avg_order_value]),
  ).toEqual([
    ['2026-01-01', 4, '80', '20'],
    ['2026-01-08', 2, '5', '2.5'],
  ]);
  expect(inWeeks([day('2026-01-01', 0, '0.00')])[0]?.avg_order_value).toBe('0');
});
