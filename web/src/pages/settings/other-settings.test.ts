import type { DescribedSetting } from '@chowk/client';
import { expect, test } from 'vitest';
import { groupOthers } from './other-settings.ts';

const setting = (key: string, schema: object) => ({ key, schema, description: '', default: null }) as DescribedSetting;

test('settings of modules without a page are grouped by module, if a form can show them', () => {
  const definitions = [
    setting('orders.number_prefix', { type: 'string' }),
    setting('notifications.sms_provider', { type: 'string' }),
    setting('notifications.retention_days', { type: 'integer' }),
    setting('loyalty_points.rate', { type: 'number' }),
    setting('loyalty_points.tiers', { type: 'array' }),
    setting('loyalty_points.mode', { enum: ['a', 'b'] }),
  ];
  expect(groupOthers(definitions)).toEqual([
    { title: 'Notifications', settings: ['notifications.retention_days'] },
    { title: 'Loyalty points', settings: ['loyalty_points.rate', 'loyalty_points.mode'] },
  ]);
});
