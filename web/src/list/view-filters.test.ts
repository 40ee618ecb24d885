import { expect, test } from 'vitest';
import { normalizeSearch, toFilters, toSearch, type ViewList } from './view-filters.ts';

const customers: ViewList = {
  action: 'customers.list',
  fields: ['search', 'tags', 'vip', 'min_orders', 'min_spent'],
  types: { tags: 'list', vip: 'boolean', min_orders: 'number' },
};
const drafts: ViewList = {
  action: 'orders.listDrafts',
  fields: ['search', 'is_placed'],
  types: { is_placed: 'boolean' },
  defaults: { is_placed: 'false' },
};

test('the texts of an address become the filters of an action, and texts again', () => {
  const search = { search: '12', tags: 'vip,pune', vip: 'false', min_orders: '3', min_spent: '10.50' };
  const filters = { search: '12', tags: ['vip', 'pune'], vip: false, min_orders: 3, min_spent: '10.50' };
  expect(toFilters(customers, search)).toEqual(filters);
  expect(toSearch(customers, filters)).toEqual(search);
});

test('what is wrong stays as it is, for the platform to refuse it', () => {
  expect(toFilters(customers, { vip: 'perhaps', min_orders: 'many' })).toEqual({ vip: 'perhaps', min_orders: 'many' });
});

test('what the page shows without a filter is part of the view, not of the address', () => {
  expect(toFilters(drafts, { search: 'tea' })).toEqual({ search: 'tea', is_placed: false });
  expect(toSearch(drafts, { search: 'tea', is_placed: false })).toEqual({ search: 'tea' });
  expect(toSearch(drafts, { is_placed: true })).toEqual({ is_placed: 'true' });
});

test('a filter may have another name in the address', () => {
  const list: ViewList = {
    action: 'notifications.list',
    fields: ['unread'],
    types: { unread: 'boolean' },
    names: { unread: 'unread_only' },
  };
  expect(toFilters(list, { unread: 'true' })).toEqual({ unread_only: true });
  expect(toSearch(list, { unread_only: true })).toEqual({ unread: 'true' });
});

test('a view with a filter that the page does not have is not shown', () => {
  expect(toSearch(customers, { search: 'a', updated_from: '2026-01-01' })).toBeUndefined();
});

test('filters are compared without regard to how they were typed', () => {
  expect(normalizeSearch(customers, { tags: ' vip ,pune,', search: '' })).toEqual({ tags: 'vip,pune' });
});
