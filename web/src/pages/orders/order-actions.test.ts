import type { OrderDetails } from '@chowk/client';
import { describe, expect, test } from 'vitest';
import { findNextStep, listActions, orderActions } from './order-actions.ts';
import type { Status } from './status.ts';

const all = () => true;

/** As the platform returns them. */
const nextStatuses: Readonly<Record<Status, readonly Status[]>> = {
  pending: ['confirmed', 'processing', 'shipped', 'delivered', 'cancelled', 'failed'],
  confirmed: ['processing', 'shipped', 'delivered', 'cancelled', 'failed', 'refunded'],
  processing: ['shipped', 'delivered', 'cancelled', 'failed', 'refunded'],
  shipped: ['delivered', 'failed', 'refunded'],
  delivered: ['refunded'],
  failed: ['pending', 'confirmed', 'cancelled'],
  cancelled: [],
  refunded: [],
};

function order(status: Status, paid: string, fields: object = {}): OrderDetails {
  const isUnpaid = paid === '0.00';
  const next = nextStatuses[status].filter((to) => to !== 'refunded' || !isUnpaid);
  const shipped = status === 'shipped' || status === 'delivered' ? 2 : 0;
  return {
    status,
    next_statuses: next,
    currency: 'INR',
    total: '500.00',
    paid_total: paid,
    refunded_total: '0.00',
    due_total: (500 - Number(paid)).toFixed(2),
    payment_method: null,
    items: [{ id: 'tea', quantity: 2, shipped_quantity: shipped }],
    refunds: [],
    ...fields,
  } as unknown as OrderDetails;
}

const onDelivery = { payment_method: 'cash_on_delivery' };
const returned = { refunds: [{ status: 'succeeded', restocked: true, items: [{ item_id: 'tea', quantity: 2 }] }] };

describe('the next step', () => {
  test.each<[string, OrderDetails, string | undefined]>([
    ['a new order', order('pending', '0.00'), 'confirm'],
    ['a new order that is paid', order('pending', '500.00'), 'confirm'],
    ['a confirmed order', order('confirmed', '0.00'), 'record_payment'],
    ['a confirmed order that is partly paid', order('confirmed', '200.00'), 'record_payment'],
    ['a confirmed order that is paid', order('confirmed', '500.00'), 'ship'],
    ['a confirmed order with cash on delivery', order('confirmed', '0.00', onDelivery), 'ship'],
    ['a processed order that is paid', order('processing', '500.00'), 'ship'],
    ['an order whose items are all back in stock', order('processing', '500.00', returned), undefined],
    ['a shipped order', order('shipped', '500.00'), 'deliver'],
    ['a shipped order that is not paid', order('shipped', '0.00'), 'deliver'],
    ['a delivered order that is not paid', order('delivered', '0.00'), 'record_payment'],
    [
      'a delivered order with cash on delivery that is not paid',
      order('delivered', '0.00', onDelivery),
      'record_payment',
    ],
    ['a delivered order that is paid', order('delivered', '500.00'), undefined],
    ['a failed order', order('failed', '0.00'), 'reopen'],
    ['a cancelled order', order('cancelled', '0.00'), undefined],
    ['a refunded order', order('refunded', '500.00', { refunded_total: '500.00' }), undefined],
  ])('of %s', (_, given, step) => {
    expect(findNextStep(given, all)).toBe(step);
  });

  test('is none for users who may only view or refund', () => {
    expect(findNextStep(order('confirmed', '500.00'), (permission) => permission === 'orders.refund')).toBeUndefined();
  });

  test('never takes anything away', () => {
    const statuses = Object.keys(nextStatuses) as Status[];
    const steps = statuses.flatMap((status) =>
      ['0.00', '500.00'].map((paid) => findNextStep(order(status, paid), all)),
    );
    expect(steps.filter((step) => step && orderActions[step].isDestructive)).toEqual([]);
  });
});

test('actions follow the state and the permissions', () => {
  expect(listActions(order('confirmed', '200.00'), all)).toEqual([
    ...['process', 'record_payment', 'ship', 'deliver'],
    ...['refund', 'fail', 'cancel', 'delete'],
  ]);
  expect(listActions(order('cancelled', '0.00'), all)).toEqual(['delete']);
  expect(listActions(order('cancelled', '200.00'), all)).toEqual(['refund', 'delete']);
  expect(listActions(order('confirmed', '0.00'), (permission) => permission === 'orders.cancel')).toEqual(['cancel']);
});
