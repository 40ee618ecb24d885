import { expect, test } from 'vitest';
import { findGuide } from './guides.ts';

test.each([
  ['/', '/docs/'],
  ['/orders', '/docs/storefront-orders'],
  ['/orders/1042', '/docs/storefront-orders'],
  ['/developers', '/docs/credentials'],
  ['/developers/apps', '/docs/apps'],
  ['/developers/webhooks/new', '/docs/webhooks'],
  ['/settings', '/docs/'],
  ['/settings/payments', '/docs/payments'],
  ['/teams', '/docs/'],
])('the page %s leads to the guide %s', (path, href) => {
  expect(findGuide(path).href).toBe(href);
});
