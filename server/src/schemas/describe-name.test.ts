import { expect, test } from 'vitest';
import { describeField, describeType } from './describe-name.ts';

test.each([
  ['email', 'An email address.'],
  ['cancelled_at', 'When it was cancelled.'],
  ['is_paged', 'Whether it is paged.'],
  ['refund_id', 'The id of the refund.'],
  ['logo_url', 'The address of the logo.'],
  ['billing_contact', 'The billing contact.'],
])('the field %s is described', (name, text) => {
  expect(describeField(name)).toBe(text);
});

test.each([
  ['NewOrder', 'A new order.'],
  ['OrderStatus', 'An order status.'],
  ['OrderDetails', 'Order details.'],
  ['APIClient', 'An API client.'],
  ['NewOrderInput', 'The input: new order.'],
])('the type %s is described', (name, text) => {
  expect(describeType(name)).toBe(text);
});
