import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startsProcesses } from './quick-tests.ts';

test.each([
  ['web/src/pages/orders/drafts.test.ts', true],
  ['web/src/pages/discounts/discounts.test.ts', true],
  ['modules/mailbox/crash.test.ts', true],
  ['server/src/tenancy/archive-crash.test.ts', true],
  ['modules/customers/merge.test.ts', false],
  ['server/src/loader/loader.test.ts', false],
])('%s starts a browser or another process: %s', (file, expected) => {
  expect(startsProcesses(join(import.meta.dirname, '..', file))).toBe(expected);
});
