import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startAccounts } from '../../server/testing/accounts.ts';
import { readByCursor } from '../../server/testing/read-by-cursor.ts';

const platform = await startAccounts();
const acme = await platform.tenant();
const other = await platform.person({ tenant: acme });
const orders = acme.context('orders');
const url = '/api/v1/notifications';

type Recipient = Awaited<ReturnType<typeof platform.person>>;
const member = () => platform.person({ tenant: acme, role: 'Viewer' });
const listed = async (person: Recipient, query = '') => (await person.get(`${url}?${query}`)).body.notifications;
const titles = async (person: Recipient, query = '') =>
  (await listed(person, query)).map(({ title }: { title: string }) => title);
const unread = async (person: Recipient) => (await person.get(`${url}/unread-count`)).body;

/** Sends them one after the other and returns their ids. */
async function send(person: Recipient, ...titles: string[]): Promise<string[]> {
  for (const title of titles) await orders.notify(person.id, { type: 'order.created', title });
  const ids = (await listed(person)).map(({ id }: { id: string }) => id);
  return ids.slice(0, titles.length).toReversed();
}

test('a notification has all fields, with defaults', async () => {
  const asha = await member();
  await orders.notify(asha.id, { type: 'order.created', title: 'New order' });
  const { status, body } = await asha.get(url);
  const nothing = { body: null, icon: null, action_url: null, action_label: null, data: null, group_key: null };
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      notifications: [
        {
          id: expect.any(String),
          user_id: asha.id,
          type: 'order.created',
          module: 'orders',
          title: 'New order',
          ...nothing,
          severity: 'info',
          count: 1,
          read_at: null,
          created_at: expect.stringMatching(/Z$/),
          updated_at: expect.stringMatching(/Z$/),
        },
      ],
      pagination: { current_page: 1, last_page: 1, per_page: 20, total: 1 },
    },
  });
});

test('notifications are listed newest first, by page and by cursor', async () => {
  const asha = await member();
  const names = ['1', '2', '3', '4', '5'];
  await send(asha, ...names);
  expect(await titles(asha)).toEqual(names.toReversed());
  expect(await titles(asha, 'page=2&per_page=2')).toEqual(['3', '2']);
  const read = await readByCursor<{ title: string }>(asha, url);
  expect(read.map(({ title }) => title)).toEqual(names.toReversed());
  expect((await asha.get(`${url}?per_page=101`)).status).toBe(422);
});

test('notifications are filtered by type, module, severity and unread', async () => {
  const asha = await member();
  const [first] = await send(asha, 'Ordered');
  await acme.context('products').notify(asha.id, { type: 'product.sold_out', title: 'Sold out', severity: 'warning' });
  await asha.patch(`${url}/${first}/read`);
  expect(await titles(asha, 'type=order.created')).toEqual(['Ordered']);
  expect(await titles(asha, 'module=products')).toEqual(['Sold out']);
  expect(await titles(asha, 'severity=warning')).toEqual(['Sold out']);
  expect(await titles(asha, 'unread_only=true')).toEqual(['Sold out']);
  expect(await titles(asha, 'unread_only=false')).toEqual(['Sold out', 'Ordered']);
});

test('those sent after a known one are listed, also if it is deleted', async () => {
  const asha = await member();
  const [, second, third] = await send(asha, '1', '2', '3');
  expect(await titles(asha, `after=${second}`)).toEqual(['3']);
  expect(await titles(asha, `after=${third}`)).toEqual([]);
  await send(asha, '4');
  await asha.delete(`${url}/${second}`);
  expect(await titles(asha, `after=${second}&sort_order=asc`)).toEqual(['3', '4']);
  expect(await titles(asha, 'after=ffffffff-ffff-ffff-ffff-ffffffffffff')).toEqual([]);
  expect((await asha.get(`${url}?after=x`)).status).toBe(422);
});

test('marking as read keeps the time of the first reading', async () => {
  const asha = await member();
  const [id] = await send(asha, 'New order');
  const first = await asha.patch(`${url}/${id}/read`);
  expect(first).toMatchObject({ status: 200, body: { message: 'Notification marked as read.', notification: { id } } });
  expect(first.body.notification.read_at).toMatch(/Z$/);
  expect((await asha.patch(`${url}/${id}/read`)).body).toEqual(first.body);
  expect(await unread(asha)).toEqual({ unread_count: 0 });
});

test('all notifications of a user are marked as read at once', async () => {
  const asha = await member();
  await send(asha, '1', '2', '3');
  await send(other, 'Stays unread');
  const before = await unread(other);
  const { status, body } = await asha.post(`${url}/mark-all-read`);
  expect({ status, body }).toEqual({ status: 200, body: { message: 'All notifications marked as read.', count: 3 } });
  expect((await asha.post(`${url}/mark-all-read`)).body.count).toBe(0);
  expect(await unread(asha)).toEqual({ unread_count: 0 });
  expect(await unread(other)).toEqual(before);
});

test('a notification is deleted', async () => {
  const asha = await member();
  const [id] = await send(asha, 'New order');
  const deleted = await asha.delete(`${url}/${id}`);
  expect(deleted).toMatchObject({ status: 200, body: { message: 'Notification deleted.' } });
  expect(await listed(asha)).toEqual([]);
  expect((await asha.delete(`${url}/${id}`)).status).toBe(404);
});

test('a notification of another user does not exist', async () => {
  const [asha, ravi] = [await member(), await member()];
  const [id] = await send(asha, 'Private');
  expect(await listed(ravi)).toEqual([]);
  for (const known of [id, randomUUID()]) {
    expect(await ravi.patch(`${url}/${known}/read`)).toMatchObject({ status: 404 });
    expect(await ravi.delete(`${url}/${known}`)).toMatchObject({ status: 404 });
  }
  expect(await listed(asha)).toMatchObject([{ id, read_at: null }]);
});

test('a module marks a notification as unread', async () => {
  const asha = await member();
  const [id] = await send(asha, 'New order');
  await asha.patch(`${url}/${id}/read`);
  const { bus } = acme.context();
  await bus.call('notifications.markAsUnread', { id: id as string });
  expect(await listed(asha, 'unread_only=true')).toMatchObject([{ id, read_at: null }]);
  await expect(bus.call('notifications.markAsUnread', { id: randomUUID() })).rejects.toMatchObject({ status: 404 });
});

test('the permission to view notifications is required', async () => {
  const caller = await platform.person({ tenant: await platform.tenant() });
  expect((await caller.get(url, { 'x-tenant': acme.id })).status).toBe(403);
  expect((await platform.request({ url, headers: { 'x-tenant': acme.id } })).status).toBe(401);
});

test('GraphQL lists, counts and reads notifications', async () => {
  const asha = await member();
  const [id] = await send(asha, 'New order');
  const run = async (query: string) => (await asha.post('/api/v1/graphql', { query })).body.data;
  expect(await run('{ notifications { nodes { id title severity } } unreadNotificationCount }')).toEqual({
    notifications: { nodes: [{ id, title: 'New order', severity: 'info' }] },
    unreadNotificationCount: 1,
  });
  expect(await run(`mutation { markNotificationAsRead(id: "${id}") { id } markAllNotificationsAsRead }`)).toEqual({
    markNotificationAsRead: { id },
    markAllNotificationsAsRead: 0,
  });
});
