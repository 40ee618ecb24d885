import { expect, test } from 'vitest';
import { needsConsole } from './needs-console.ts';

test.each([
  [['run'], true],
  [['run', 'web/src/pages/orders'], true],
  [['run', 'e2e/production.test.ts'], true],
  [['run', 'server/src/http/console.test.ts'], true],
  [['run', 'modules/graphql/playground/browser.test.ts'], true],
  [['run', 'modules/orders', 'web/src/shell'], true],
  [['run', 'orders'], true],
  [['run', 'modules/orders/orders.test.ts', '-t', 'cancel'], false],
  [['run', './server/src/tenancy', 'modules/products/'], false],
])('the console is built for %j: %s', (args, expected) => {
  expect(needsConsole(args)).toBe(expected);
});
