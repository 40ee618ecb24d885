import { expect, test } from 'vitest';
import { badgeCount } from './numbers.ts';

test('a badge counts to 99', () => {
  expect([1, 99, 100].map(badgeCount)).toEqual(['1', '99', '99+']);
});
