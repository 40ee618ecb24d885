import { expect, test } from 'vitest';
import { runsEveryHour } from './cron.ts';

test.each([
  ['* * * * *', true],
  ['3-59/15 * * * *', true],
  ['19 */1 * * 1-5', true],
  [' 25  * * * *', true],
  ['17 3 * * *', false],
  // Organizations without activity are visited in one hour of the day, which would not be one of these.
  ['0 9,17 * * *', false],
  ['*/10 3 * * *', false],
  ['0 */2 * * *', false],
])('%s has a run in each hour: %s', (schedule, expected) => {
  expect(runsEveryHour(schedule)).toBe(expected);
});
