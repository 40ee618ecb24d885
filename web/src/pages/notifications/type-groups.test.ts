import type { NotificationTypePreferences } from '@chowk/client';
import { expect, test } from 'vitest';
import { groupTypes } from './type-groups.ts';

test('types are grouped in the words of the console, and those of unknown modules come last', () => {
  const types = ['till', 'webhooks', 'orders', null, 'conversations', 'orders'].map(
    (module, index) => ({ module, type: String(index) }) as NotificationTypePreferences,
  );
  expect(groupTypes(types).map(([heading, group]) => [heading, group.map(({ type }) => type)])).toEqual([
    ['Orders', ['2', '5']],
    ['Conversations', ['4']],
    ['Developers', ['1']],
    ['Other', ['3']],
    ['Till', ['0']],
  ]);
});
