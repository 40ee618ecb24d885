import { expect, test } from 'vitest';
import { serverSettings } from './settings.ts';

test.each([
  [4, '60s'],
  [200, '60s'],
  [1_000, '300s'],
])('vacuum visits %i databases every %s', (databases, interval) => {
  expect(serverSettings({ databases }).autovacuum_naptime).toBe(interval);
});
