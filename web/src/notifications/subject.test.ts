import { expect, test } from 'vitest';
import { subjectPath } from './subject.ts';

test.each([
  [{ order_id: 'o1' }, null, '/orders/o1'],
  [{ data: { conversation_id: 'c1' } }, null, '/conversations/c1'],
  [{ notification: { data: { order_id: 7 } } }, null, '/orders/7'],
  [{ customer_id: 'a/b' }, null, '/customers/a%2Fb'],
  [{ order_id: 'o1', conversation_id: 'c1' }, '/products', '/conversations/c1'],
  [null, '/orders/o2?tab=items', '/orders/o2?tab=items'],
  [null, '/shop/conversations/c2/view', '/conversations/c2'],
  [{ order_id: null }, '/products', '/products'],
  [{ application_id: 'a1' }, '/applications/a1', '/applications/a1'],
  [{ webhook_id: 'w1' }, '/developers/webhooks/w1', '/developers/webhooks/w1'],
  [null, '/settings/modules?edit=orders', '/settings/modules?edit=orders'],
  [null, '/conversations?failed=true', '/conversations?failed=true'],
  [null, '//other.example', undefined],
  [null, 'https://other.example', undefined],
  [null, null, undefined],
])('a notification with the data %j and the address %s leads to %s', (data, action_url, path) => {
  expect(subjectPath({ data, action_url })).toBe(path);
});
