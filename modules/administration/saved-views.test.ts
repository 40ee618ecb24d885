import { expect, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';

const platform = await startPlatform();
const acme = await platform.tenant();
const [asha, vikram] = [acme.caller('orders.view'), acme.caller('orders.view')];
const manager = acme.caller('orders.view', 'settings.edit');
const url = '/api/v1/saved-views';

const names = async (caller: typeof asha, list = 'orders.list') =>
  (await caller.get(`${url}?list=${list}`)).body.saved_views.map(({ name }: { name: string }) => name);
const save = async (caller: typeof asha, fields: object) => {
  const { status, body } = await caller.post(url, { list: 'orders.list', filters: { status: ['pending'] }, ...fields });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body.saved_view;
};

test('a view is for its author or for the team', async () => {
  const own = await save(asha, { name: 'mine' });
  expect(own).toMatchObject({ list: 'orders.list', filters: { status: ['pending'] }, is_shared: false });
  const shared = await save(asha, { name: 'Late', is_shared: true });
  await save(vikram, { name: 'mine', filters: { sort_by: 'updated_at', search: 'tea' } });
  expect(await names(asha)).toEqual(['Late', 'mine']);
  expect(await names(vikram)).toEqual(['Late', 'mine']);
  expect(await vikram.patch(`${url}/${own.id}`, { name: 'Stolen' })).toMatchObject({ status: 404 });
  expect(await vikram.patch(`${url}/${shared.id}`, { name: 'Stolen' })).toMatchObject({ status: 403 });
  expect(await vikram.delete(`${url}/${shared.id}`)).toMatchObject({ status: 403 });
  const renamed = await asha.patch(`${url}/${shared.id}`, { name: 'Very late', filters: { search: 'x' } });
  expect(renamed.body.saved_view).toMatchObject({ name: 'Very late', filters: { search: 'x' }, is_shared: true });
  expect(await manager.delete(`${url}/${shared.id}`)).toMatchObject({ status: 200 });
  expect(await names(vikram)).toEqual(['mine']);
});

test.each([
  ['customers.list', 'customers.view', { tags: ['vip'], min_orders: 3, min_spent: '10.50', accepts_marketing: true }],
  ['orders.list', 'orders.view', { status: ['pending'], min_total: '100', sort_order: 'asc' }],
  ['orders.listDrafts', 'orders.view', { search: 'tea', is_placed: false }],
  ['products.list', 'products.view', { search: 'tea', tags: ['green'], low_stock: true, min_price: '10' }],
  ['products.listCollections', 'products.view', { search: 'tea', sort_by: 'title' }],
  ['pricing.listDiscounts', 'products.view', { status: 'active', kind: 'percent' }],
  ['conversations.list', 'conversations.view', { status: 'open', unassigned: true }],
  ['notifications.list', 'notifications.view', { unread_only: true, severity: 'error' }],
  ['notifications.listRules', 'notifications.rules.manage', { is_active: true, channel: 'email' }],
])('%s can have views', async (list, permission, filters) => {
  const member = acme.caller(permission);
  const { saved_view } = (await member.post(url, { list, name: 'One', filters })).body;
  expect(saved_view).toMatchObject({ list, filters });
  expect(await names(member, list)).toContain('One');
});

test.each([
  ['filters.status', { filters: { status: ['asleep'] } }],
  ['filters.colour', { filters: { colour: 'red' } }],
  ['filters.page', { filters: { page: 2 } }],
  ['filters.sort_by', { filters: { sort_by: 'mood' } }],
  ['filters', { filters: 'status=pending' }],
  ['list', { list: 'customers.list' }],
  ['list', { list: 'orders.create' }],
  ['list', { list: 'nothing' }],
  ['name', { name: ' ' }],
])('an invalid %s is rejected: %j', async (field, wrong) => {
  const { status, body } = await asha.post(url, { list: 'orders.list', name: 'Wrong', filters: {}, ...wrong });
  expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: [field] });
});

test('views of a list that the caller may not see are not shown', async () => {
  await save(asha, { name: 'Secret', is_shared: true });
  const stranger = acme.caller('products.view');
  expect(await stranger.get(`${url}?list=orders.list`)).toMatchObject({ status: 422 });
});

test('a member has one view of a name, also of requests at the same time', async () => {
  const answers = await Promise.all(
    ['Twice', 'TWICE', 'twice'].map((name) => asha.post(url, { list: 'orders.list', name, filters: {} })),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 422, 422]);
});
