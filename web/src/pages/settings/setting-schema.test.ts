import { expect, test } from 'vitest';
import { settingLabel, settingValue } from './setting-schema.ts';

test('a setting is labelled with the words of its key', () => {
  expect(settingLabel('orders.number_prefix')).toBe('Number prefix');
  expect(settingLabel('general.timezone')).toBe('Time zone');
  expect(settingLabel('payments.return_url')).toBe('Return URL');
  expect(settingLabel('audit.retention_days')).not.toBe(settingLabel('events.retention_days'));
});

test.each([
  ['boolean', 'on', true],
  ['boolean', undefined, false],
  ['integer', ' 12 ', 12],
  ['integer', '', ''],
  ['integer', 'many', 'many'],
  ['string', ' MH-', 'MH-'],
] as const)('a %s that is typed as %j is sent as %j', (type, text, value) => {
  expect(settingValue({ type }, text)).toBe(value);
});
