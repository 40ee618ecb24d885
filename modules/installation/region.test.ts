import { Issues } from '@chowk/kit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkRegion, completeRegion } from './region.ts';

const { TZ } = process.env;
beforeEach(() => setTimeZone('UTC'));
afterEach(() => setTimeZone(TZ));

/** Node.js applies a change at once. */
function setTimeZone(name: string | undefined): void {
  if (name === undefined) delete process.env.TZ;
  else process.env.TZ = name;
}

test.each([
  ['Europe/Berlin', { country: 'DE', currency: 'EUR', timezone: 'Europe/Berlin' }],
  ['America/New_York', { country: 'US', currency: 'USD', timezone: 'America/New_York' }],
  ['Asia/Calcutta', { country: 'IN', currency: 'INR', timezone: 'Asia/Calcutta' }],
])("the machine's time zone suggests the region: %s", (name, region) => {
  setTimeZone(name);
  expect(completeRegion({})).toEqual(region);
});

test.each([
  ["the browser's languages decide", {}, 'fr-CH, fr;q=0.9, en-GB;q=0.8', ['CH', 'CHF', 'Europe/Zurich']],
  [
    'languages without a country do not',
    {},
    'de, en;q=0.5',
    [expect.not.stringMatching('IN'), expect.any(String), 'UTC'],
  ],
  ['a given time zone decides', { timezone: 'Asia/Tokyo' }, 'en-GB', ['JP', 'JPY', 'Asia/Tokyo']],
  ['a given country decides', { country: 'KE' }, 'en-GB', ['KE', 'KES', 'Africa/Nairobi']],
  ['a country with several time zones keeps that of the machine', { country: 'BR' }, '', ['BR', 'BRL', 'UTC']],
  ['given values are kept', { country: 'CH', currency: 'EUR', timezone: 'UTC' }, '', ['CH', 'EUR', 'UTC']],
])('on a machine in UTC, %s', (_, given, languages, [country, currency, timezone]) => {
  expect(completeRegion(given, languages)).toEqual({ country, currency, timezone });
});

test('an unknown country and an unknown currency are refused', () => {
  const issues = new Issues();
  checkRegion({ country: 'ZZ', currency: 'ABC' }, issues);
  expect(issues.errors).toEqual({
    country: [{ code: 'unknown', message: 'There is no country ZZ.' }],
    currency: [{ code: 'unknown', message: 'There is no currency ABC.' }],
  });
});
