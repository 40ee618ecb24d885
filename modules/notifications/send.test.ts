import { type Ctx, sql } from '@chowk/kit';
import { expect, test, vi } from 'vitest';
import { Context } from '../../server/src/context/context.ts';
import { startAccounts } from '../../server/testing/accounts.ts';
import { eventually } from '../../server/testing/eventually.ts';

const platform = await startAccounts();
const { kernel } = platform;
const acme = await platform.tenant();
const orders = acme.context('orders');
const stranger = await platform.person({ tenant: await platform.tenant() });
const url = '/api/v1/notifications';
const notice = { type: 'order.updated', title: 'New order' };

type Recipient = Awaited<ReturnType<typeof platform.person>>;
const member = () => platform.person({ tenant: acme, role: 'Viewer' });
const listed = async (person: Recipient, query = '') => (await person.get(`${url}?${query}`)).body.notifications;
const stored = async (ctx: Ctx) =>
  (await ctx.db.rows<{ user_id: number }>(sql`SELECT user_id FROM notifications ORDER BY id`)).map(
    (row) => row.user_id,
  );

const broadcast = vi.spyOn(kernel.realtime, 'broadcast');

/** The events that were sent to a user's sockets. */
const broadcastsTo = ({ id }: Recipient) =>
  broadcast.mock.calls.map(([sent]) => sent).filter(({ channel }) => channel === `private-user.${id}`);

test('a notification is broadcast with all fields', async () => {
  const asha = await member();
  await orders.notify(asha.id, { ...notice, severity: 'success', data: { order_id: '7' }, action_url: '/orders/7' });
  const [notification] = await listed(asha);
  const event = { tenantId: acme.id, channel: `private-user.${asha.id}`, event: 'notification.created' };
  await eventually(() => expect(broadcastsTo(asha)).toEqual([{ ...event, data: notification }]));
});

test('a notification goes to each of several users once, and only to members', async () => {
  const [asha, ravi] = [await member(), await member()];
  const beta = await platform.tenant();
  const gone = await platform.person({ tenant: beta });
  await orders.notify([ravi.id, asha.id, asha.id, stranger.id, gone.id, 999_999], notice);
  expect(await listed(asha)).toMatchObject([notice]);
  expect(await listed(ravi)).toMatchObject([notice]);
  expect(await listed(stranger)).toEqual([]);
  expect(await stored(orders)).not.toContain(stranger.id);
  await orders.notify([], notice);
});

test('a notification goes to all members who may sign in', async () => {
  const beta = await platform.tenant();
  const people = [await platform.person({ tenant: beta }), await platform.person({ tenant: beta, role: 'Agent' })];
  const disabled = await platform.person({ tenant: beta });
  await kernel.central.db.run(sql`UPDATE users SET disabled_at = now() WHERE id = ${disabled.id}`);
  await beta.context('orders').notify('members', notice);
  expect(await stored(beta.context('orders'))).toEqual(people.map(({ id }) => id));
});

test('a notification of a transaction that fails is neither stored nor broadcast', async () => {
  const asha = await member();
  const failing = orders.tx(async (tx) => {
    await tx.notify(asha.id, { ...notice, title: 'Never' });
    throw new Error('rolled back');
  });
  await expect(failing).rejects.toThrow('rolled back');
  await orders.tx((tx) => tx.notify(asha.id, notice));
  await eventually(() => expect(broadcastsTo(asha)).toMatchObject([{ data: { title: 'New order' } }]));
  expect(await listed(asha)).toMatchObject([notice]);
});

test('repeated notifications of a group are one that counts them and moves to the top', async () => {
  const asha = await member();
  const repeat = (title: string) => orders.notify(asha.id, { ...notice, title, group_key: 'orders' });
  await repeat('1 order');
  await orders.notify(asha.id, { ...notice, title: 'Another' });
  const [another, first] = await listed(asha);
  await repeat('2 orders');
  expect(await listed(asha)).toMatchObject([
    { id: first.id, title: '2 orders', count: 2 },
    { id: another.id, count: 1 },
  ]);
  expect((await asha.get(`${url}/unread-count`)).body).toEqual({ unread_count: 2 });
  expect(await listed(asha, `after=${another.id}`)).toMatchObject([{ id: first.id }]);
  expect(await listed(asha, `after=${first.id}`)).toMatchObject([{ id: first.id }, { id: another.id }]);
  await eventually(() => expect(broadcastsTo(asha)).toHaveLength(3));
  await asha.patch(`${url}/${first.id}/read`);
  await repeat('New again');
  expect((await listed(asha))[0]).toMatchObject({ title: 'New again', count: 1 });
  expect(await listed(asha)).toHaveLength(3);
});

test('the same group of another module is another group', async () => {
  const asha = await member();
  for (const module of ['orders', 'products']) {
    await acme.context(module).notify(asha.id, { ...notice, group_key: 'stock' });
  }
  expect(await listed(asha)).toMatchObject([{ count: 1 }, { count: 1 }]);
});

test('a notification that is marked as unread leaves its group', async () => {
  const asha = await member();
  const repeat = () => orders.notify(asha.id, { ...notice, group_key: 'orders' });
  await repeat();
  const [{ id }] = await listed(asha);
  await asha.patch(`${url}/${id}/read`);
  await repeat();
  await acme.context().bus.call('notifications.markAsUnread', { id });
  await repeat();
  expect(await listed(asha)).toMatchObject([
    { count: 2, group_key: 'orders', read_at: null },
    { id, count: 1, group_key: null, read_at: null },
  ]);
});

const foreignUrls = [
  '//evil.example',
  '/\\evil.example',
  '/\t/evil.example',
  'https://evil.example',
  'javascript:alert(1)',
  'orders/7',
];

test.each<[string, unknown]>([
  ['type', ''],
  ['type', 'not dotted'],
  ['type', 'x'.repeat(101)],
  ['title', ' '],
  ['title', 'x'.repeat(256)],
  ['severity', 'fatal'],
  ['icon', 'x'.repeat(51)],
  ['action_label', 'x'.repeat(101)],
  ['group_key', 'x'.repeat(101)],
  ['data', { text: 'x'.repeat(10_000) }],
  ['data', 'text'],
  ...foreignUrls.map((url): [string, unknown] => ['action_url', url]),
])('an invalid %s is refused: %j', async (field, value) => {
  const sending = orders.notify(stranger.id, { ...notice, [field]: value });
  await expect(sending).rejects.toMatchObject({ status: 422, extras: { errors: { [field]: expect.anything() } } });
});

test('data may have any characters', async () => {
  const asha = await member();
  const data = { text: 'a\0b \ud800 "quoted"', list: [1, null, { deep: true }] };
  await orders.notify(asha.id, { ...notice, data });
  expect(await listed(asha)).toMatchObject([{ data }]);
});

test('nothing happens if the tenant does not have the module', async () => {
  const beta = await platform.tenant();
  const asha = await platform.person({ tenant: beta });
  await kernel.installations.set(beta.id, 'notifications', 'disabled');
  await beta.context('orders').notify(asha.id, notice);
  expect(await stored(beta.context('orders'))).toEqual([]);
  expect((await asha.get(url)).status).toBe(404);
});

test('without a tenant a notification is stored in the central database and a warning is logged', async () => {
  const asha = await member();
  const warn = vi.spyOn(kernel.log, 'warn');
  await new Context(kernel, { requestId: 'test', module: 'identity' }).notify([asha.id, 999_999], notice);
  const rows = await kernel.central.db.rows(sql`SELECT type, module, title, severity FROM notifications
    WHERE user_id = ${asha.id}`);
  expect(rows).toEqual([{ ...notice, module: 'identity', severity: 'info' }]);
  expect(warn).toHaveBeenCalledWith(expect.anything(), expect.stringContaining('without a tenant'));
  expect(await listed(asha)).toEqual([]);
  expect(broadcastsTo(asha)).toEqual([]);
});
