import { expect, test } from 'vitest';
import { historyText } from './history-text.ts';

const order = {
  currency: 'INR',
  shipments: [{ id: 'a' }, { id: 'b' }] as unknown as Parameters<typeof historyText>[1]['shipments'],
};
const text = (changes: Record<string, unknown[]> | null, fields: object = {}) =>
  historyText({ status: 'confirmed', previous_status: 'confirmed', refunded: null, changes, ...fields }, order);
const cheque = (status: string) => ({ id: 'p', method: 'cheque', amount: '10.00', status });

test('a payment is named with its outcome, instead of the paid total that follows from it', () => {
  expect(text({ payments: [[], [cheque('pending')]] })).toBe('Cheque payment of ₹10.00 is pending');
  const received = { paid_total: ['0.00', '10.00'], payments: [[cheque('pending')], [cheque('succeeded')]] };
  expect(text(received)).toBe('Cheque payment of ₹10.00 received');
  const failed = { paid_total: ['10.00', '0.00'], payments: [[cheque('succeeded')], [cheque('failed')]] };
  expect(text(failed)).toBe('Cheque payment of ₹10.00 has failed');
});

test('a parcel is named by its number', () => {
  expect(text({ shipments: [[], [{ id: 'b', status: 'shipped' }]] })).toBe('Parcel 2 shipped');
  expect(text({ shipments: [[{ id: 'a', status: 'shipped' }], [{ id: 'a', status: 'cancelled' }]] })).toBe(
    'Parcel 1 cancelled',
  );
});

test('statuses, refunds and edits are one line', () => {
  const created = { previous_status: null };
  expect(text({ payments: [[], [{ ...cheque('succeeded'), method: 'upi' }]] }, created)).toBe(
    'Created as confirmed, UPI payment of ₹10.00 received',
  );
  expect(text(null, { status: 'refunded', refunded: '10.00' })).toBe('Confirmed → Refunded, ₹10.00 refunded');
  expect(text({ items: [[], []], total: ['9.00', '12.00'] })).toBe('Items changed, Total changed from ₹9.00 to ₹12.00');
  // Entries of before payments were in the history.
  expect(text({ paid_total: ['0.00', '4.00'] })).toBe('Amount paid changed from ₹0.00 to ₹4.00');
});
