import type { OrderDetails } from '@chowk/client';
import { expect, test } from 'vitest';
import { listLeftToRefund, listLeftToShip, priceUnits } from './order-units.ts';

const items = [
  { id: 'tea', name: 'Tea', quantity: 3, shipped_quantity: 1, total: '100.00' },
  { id: 'cup', name: 'Cup', quantity: 1, shipped_quantity: 0, total: '80.00' },
];
const refund = (item_id: string, quantity: number, fields: object = {}) => ({
  status: 'succeeded',
  restocked: false,
  items: [{ item_id, quantity }],
  ...fields,
});
const order = (refunds: readonly object[], fields: object = {}) =>
  ({ items, refunds, currency: 'INR', ...fields }) as unknown as OrderDetails;

test('units that were shipped, or went back into the stock, are not left to ship', () => {
  expect(listLeftToShip(order([]))).toEqual([
    { item_id: 'tea', quantity: 2 },
    { item_id: 'cup', quantity: 1 },
  ]);
  const returned = order([refund('tea', 2, { restocked: true }), refund('cup', 1)]);
  expect(listLeftToShip(returned)).toEqual([{ item_id: 'cup', quantity: 1 }]);
});

test('units of refunds that failed can be refunded again', () => {
  const refunds = [refund('tea', 2), refund('tea', 1, { status: 'failed' }), refund('cup', 1)];
  expect(listLeftToRefund(order(refunds))).toEqual([{ item_id: 'tea', quantity: 1 }]);
});

test('units refunded one by one add up to the total of the item', () => {
  const one = [{ item_id: 'tea', quantity: 1 }];
  expect(priceUnits(order([]), one)).toBe('33.33');
  expect(priceUnits(order([refund('tea', 1)]), one)).toBe('33.34');
  expect(priceUnits(order([refund('tea', 2)]), one)).toBe('33.33');
  expect(
    priceUnits(order([]), [
      { item_id: 'tea', quantity: 3 },
      { item_id: 'cup', quantity: 1 },
    ]),
  ).toBe('180.00');
});

test.each([
  ['JPY', '100.00', '33.00'],
  ['KWD', '1.000', '0.333'],
])('the price of a unit has the decimals of %s', (currency, total, price) => {
  const priced = order([], { currency, items: [{ ...items[0], total }] });
  expect(priceUnits(priced, [{ item_id: 'tea', quantity: 1 }])).toBe(price);
});
