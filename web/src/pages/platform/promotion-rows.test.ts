import { expect, test } from 'vitest';
import { promotionRows } from './promotion-rows.ts';

const none = { gained: [], changed: [], lost: [] };
const promotion = {
  alias: 'orders',
  ring: 'stable',
  from_version: '1.0.0',
  to_version: '1.1.0',
  changed: false,
  migrations: ['0002_more.sql'],
  operations: {
    gained: ['orders.more'],
    changed: [{ name: 'orders.get', problem: 'it needs more' }],
    lost: ['orders.old'],
  },
  permissions: none,
  settings: { ...none, changed: [{ name: 'orders.prefix', problem: null }] },
  events: none,
  graphql: [{ severity: 'breaking', kind: 'FIELD_REMOVED', description: 'Query.old was removed.' }],
  refusals: [],
};

test('the difference of a promotion begins with what is lost', () => {
  expect(promotionRows(promotion).map(({ change, text }) => `${change}: ${text}`)).toEqual([
    'Lost: operation orders.old',
    'Changed: operation orders.get: it needs more',
    'Changed: setting orders.prefix',
    'GraphQL: Query.old was removed.',
    'New: operation orders.more',
    'New: migration 0002_more.sql',
  ]);
});
