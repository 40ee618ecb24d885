import type { DraftOrderDetails } from '@chowk/client';
import { describe, expect, test } from 'vitest';
import { type DraftDiscount, emptyDraft, lineDiscount, type OrderDraft, orderTotal } from './order-draft.ts';
import { draftChanges, fromSaved, toOrder, toPreview } from './order-input.ts';

const tea = { key: '1', name: 'Tea', sku: 'TEA', variantId: 'v1', quantity: '2', price: '1,250.50' };
const filled: OrderDraft = {
  ...emptyDraft,
  customerId: 'c1',
  items: [tea],
  address: { city: ' Pune ', country: '' },
  billing: { company: 'Acme' },
  note: ' Ring twice ',
  code: 'WELCOME, TEN',
  discount: { kind: 'fixed', value: '10' },
  shippingRateId: 'own',
  shippingPrice: '50',
  payment: { plan: 'paid', method: 'upi', reference: 'UTR 1' },
};

/** As the platform returns what it was sent. */
function saved(draft: OrderDraft, input: Partial<DraftOrderDetails['input']> = {}, rest: object = {}) {
  const { customer: _, ...content } = toOrder(draft);
  return {
    id: 'd1',
    customer_id: draft.customerId ?? null,
    input: { ...content, ...input },
    preview: null,
    updated_at: '2026-01-31T09:30:00Z',
    ...rest,
  } as DraftOrderDetails;
}

test('an order has what was entered, trimmed and without empty parts', () => {
  expect(toOrder(filled)).toEqual({
    customer: { id: 'c1' },
    items: [{ name: 'Tea', sku: 'TEA', variant_id: 'v1', quantity: 2, price: '1250.50' }],
    discount_codes: ['WELCOME', 'TEN'],
    discounts: [{ kind: 'fixed', value: '10' }],
    shipping_rate_id: null,
    shipping: { price: '50' },
    payment_method: null,
    payments: [{ method: 'upi', reference: 'UTR 1' }],
    shipping_address: { city: 'Pune' },
    billing_address: { company: 'Acme' },
    note: 'Ring twice',
  });
  expect(toOrder(emptyDraft)).toMatchObject({ shipping_address: null, billing_address: null, payments: [] });
});

test('an item has the discount that was entered for it', () => {
  const item = (discount: DraftDiscount) => toOrder({ ...filled, items: [{ ...tea, discount }] }).items[0];
  expect(item({ kind: 'fixed', value: ' 1,050 ' })).toMatchObject({ discount: { kind: 'fixed', value: '1050' } });
  expect(item({ kind: 'percent', value: '5', title: 'Friend' })).toMatchObject({
    discount: { title: 'Friend', kind: 'percent', value: '5' },
  });
  expect(item({ kind: 'percent', value: ' ' })).not.toHaveProperty('discount');
});

// As the platform calculates it: rounded to the decimals of the currency, halves up.
test.each([
  ['INR', '10', 'percent', 250_100n, '2250.90'],
  ['JPY', '12.5', 'percent', 313_000n, '2188.00'],
  ['KWD', '0.01', 'percent', 250n, '2500.750'],
  ['INR', '50', 'fixed', 50_000n, '2451.00'],
  ['INR', '9000', 'fixed', 2_501_000n, '0.00'],
  ['INR', 'x', 'percent', undefined, '2501.00'],
] as const)('in %s, %s (%s) off two of 1,250.50', (currency, value, kind, amount, total) => {
  const item = { ...tea, discount: { kind, value } };
  expect({ amount: lineDiscount(item, currency), total: orderTotal([item], currency) }).toEqual({ amount, total });
});

test.each([
  ['later', null],
  ['cash_on_delivery', 'cash_on_delivery'],
  ['payment_link', 'payment_link'],
] as const)('an order that is paid %s has the method %s and no payment', (plan, payment_method) => {
  const order = toOrder({ ...filled, payment: { plan, method: 'upi', reference: 'UTR 1' } });
  expect(order).toMatchObject({ payment_method, payments: [] });
});

test('the price does not depend on note, billing address and payment', () => {
  const order = toPreview(filled);
  expect(order).toMatchObject({ customer_id: 'c1', shipping_address: { city: 'Pune' } });
  expect(toPreview({ ...filled, note: '', billing: {}, payment: emptyDraft.payment })).toEqual(order);
  expect(toPreview({ ...filled, items: [{ ...tea, price: 'x' }] })).toBeUndefined();
});

describe('a saved draft', () => {
  test('is shown as it was entered, and is not changed by that', () => {
    const draft = saved(filled);
    expect(fromSaved(draft)).toMatchObject({
      ...filled,
      items: [{ ...tea, price: '1250.50' }],
      address: { city: 'Pune' },
      note: 'Ring twice',
    });
    expect(draftChanges(draft, fromSaved(draft))).toEqual({});
  });

  test.each(['cash_on_delivery', 'payment_link', 'later'] as const)('keeps the payment %s', (plan) => {
    const payment = { plan, method: '', reference: '' };
    expect(fromSaved(saved({ ...filled, payment })).payment).toEqual(payment);
  });

  test('shows names and prices of today where it leaves them to the products', () => {
    const items = [{ sku: 'TEA', quantity: 2 }] as unknown as DraftOrderDetails['input']['items'];
    const preview = { items: [{ name: 'Green tea', price: '9.00' }] };
    expect(fromSaved(saved(filled, { items }, { preview })).items).toEqual([
      { key: '1', name: 'Green tea', sku: 'TEA', quantity: '2', price: '9.00' },
    ]);
    expect(fromSaved(saved(filled, { items })).items).toMatchObject([{ name: 'TEA', price: '' }]);
  });

  test('is sent only what was changed, and keeps what the form does not show', () => {
    const discount = { title: 'Friend', kind: 'percent', value: '5' } as const;
    const draft = saved(filled, {
      items: [{ name: 'Tea', sku: null, quantity: 2, price: '10', discount, taxable: false }],
      discounts: [
        { title: 'Loyal', kind: 'fixed', value: '10' },
        { title: 'Diwali', kind: 'percent', value: '5' },
      ],
      shipping: { title: 'Courier', price: '50' },
    });
    const shown = fromSaved(draft);
    expect(draftChanges(draft, { ...shown, note: 'Other' })).toEqual({ note: 'Other' });
    expect(draftChanges(draft, { ...shown, discount: { kind: 'fixed', value: '12' }, shippingPrice: '60' })).toEqual({
      discounts: [
        { title: 'Loyal', kind: 'fixed', value: '12' },
        { title: 'Diwali', kind: 'percent', value: '5' },
      ],
      shipping: { title: 'Courier', price: '60' },
    });
    expect(draftChanges(draft, { ...shown, items: shown.items.map((item) => ({ ...item, quantity: '3' })) })).toEqual({
      items: [{ name: 'Tea', sku: null, quantity: 3, price: '10', discount, taxable: false }],
    });
    const items = shown.items.map((item) => ({ ...item, discount: { ...discount, value: '7' } }));
    expect(draftChanges(draft, { ...shown, items })).toEqual({
      items: [
        { name: 'Tea', sku: null, quantity: 2, price: '10', discount: { ...discount, value: '7' }, taxable: false },
      ],
    });
    expect(draftChanges(draft, { ...shown, customerId: undefined })).toEqual({ customer: {} });
  });
});
