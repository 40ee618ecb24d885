import type { Discount } from '@chowk/client';
import { expect, test } from 'vitest';
import { showTimesIn } from '../../time/times.ts';
import { changedFields, emptyTexts, generateCode, readTexts, toDiscountInput } from './discount-values.ts';

const discount = {
  code: 'DIWALI',
  title: null,
  kind: 'percent',
  value: '12.50',
  applies_to: 'products',
  target_ids: ['a'],
  minimum_subtotal: '500.00',
  minimum_quantity: null,
  starts_at: '2026-11-01T00:00:30.000Z',
  ends_at: null,
  usage_limit: 100,
  once_per_customer: true,
  combines: false,
} as unknown as Discount;

test('a discount is shown in the time zone of the organization', () => {
  showTimesIn('Asia/Kolkata');
  expect(readTexts(discount)).toMatchObject({ value: '12.5', starts_at: '2026-11-01T05:30', once_per_customer: 'on' });
  expect(toDiscountInput({ ...emptyTexts, ends_at: '2026-11-30T23:59' }, []).ends_at).toBe('2026-11-30T18:29:00.000Z');
});

test('a form that was not edited changes nothing, not even the seconds of a time', () => {
  const before = toDiscountInput(readTexts(discount), ['a']);
  expect(changedFields(before, toDiscountInput(readTexts(discount), ['a']))).toEqual({});
  const edited = { ...readTexts(discount), usage_limit: '', value: '15 %' };
  expect(changedFields(before, toDiscountInput(edited, ['a']))).toEqual({ usage_limit: null, value: '15' });
});

test('targets are kept only where they count, and an amount only where there is one', () => {
  const texts = { ...emptyTexts, kind: 'free_shipping', value: '15' };
  expect(toDiscountInput(texts, ['a'])).toMatchObject({ value: '0', target_ids: [] });
});

test('a text that is not a number is left to the platform to refuse', () => {
  expect(toDiscountInput({ ...emptyTexts, usage_limit: 'many' }, []).usage_limit).toBe('many');
});

test('generated codes are easy to read out and differ', () => {
  const codes = Array.from({ length: 50 }, generateCode);
  expect(new Set(codes).size).toBe(50);
  for (const code of codes) expect(code).toMatch(/^[A-HJ-NP-Z2-9]{8}$/);
});
