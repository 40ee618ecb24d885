import type { ShippingRate } from '@chowk/client';
import { expect, test } from 'vitest';
import { describeRate } from './shipping-rate-text.ts';

const always = {
  minimum_weight: null,
  maximum_weight: null,
  minimum_total: null,
  maximum_total: null,
  free_above: null,
} as ShippingRate;

test.each([
  [{}, ''],
  [{ maximum_weight: 500 }, 'Up to 500 g'],
  [{ minimum_weight: 501, maximum_weight: 2_500 }, '501 g to 2.5 kg'],
  [{ minimum_total: '200.00', free_above: '999.00' }, 'Total from ₹200.00 · free from ₹999.00'],
  [{ minimum_weight: 0, maximum_total: '50.00' }, 'From 0 g · total up to ₹50.00'],
])('%j is described as “%s”', (limits, text) => {
  expect(describeRate({ ...always, ...limits }, (amount) => `₹${amount}`)).toBe(text);
});
