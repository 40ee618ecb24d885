import { sql } from '@chowk/kit';
import { expect, test, vi } from 'vitest';
import { startAccounts } from '../../server/testing/accounts.ts';
import { eventually } from '../../server/testing/eventually.ts';

const platform = await startAccounts();
const broadcast = vi.spyOn(platform.kernel.realtime, 'broadcast');
const url = '/api/v1/notifications';

type Person = Awaited<ReturnType<typeof platform.person>>;
const listed = async (person: Person, query = '') => (await person.get(`${url}?${query}`)).body.notifications;
const sentTo = ({ id }: Person) =>
  broadcast.mock.calls.map(([sent]) => sent).filter(({ channel }) => channel === `private-user.${id}`);

const order = (price: string, first_name = 'Meera') => ({
  customer: { phone: '+919876543210', first_name, last_name: 'Nair' },
  items: [{ name: 'Tea', quantity: 1, price }],
});

/** Over 20 connections. */
async function placeOrders(person: Person, count: number): Promise<void> {
  let left = count;
  const place = async () => {
    while (left-- > 0) {
      // On a busy machine the platform asks to try again.
      const status = await eventually(async () => {
        const response = await person.post('/api/v1/orders', order('10.00'));
        expect(response.status).not.toBe(503);
        return response.status;
      });
      expect(status).toBe(201);
    }
  };
  await Promise.all(Array.from({ length: 20 }, place));
}

test('a new order is a notification with number, customer, amount and link', async () => {
  const acme = await platform.tenant();
  const asha = await platform.person({ tenant: acme });
  const { body } = await asha.post('/api/v1/orders', order('199.65'));
  await eventually(async () =>
    expect(await listed(asha)).toMatchObject([
      {
        type: 'order.created',
        title: `New order ${body.order.order_number} from Meera Nair: INR 199.65`,
        action_url: `/orders/${body.order.id}`,
        data: { order_id: body.order.id },
        count: 1,
      },
    ]),
  );
});

test('200 orders in seconds are one notification of each member, with the right number', async () => {
  const acme = await platform.tenant();
  const asha = await platform.person({ tenant: acme });
  const team = [asha, await platform.person({ tenant: acme, role: 'Manager' })];
  const from = Date.now();
  await placeOrders(asha, 200);
  await eventually(async () => {
    for (const person of team) {
      const rows = await listed(person);
      expect(rows).toMatchObject([{ title: '200 new orders', count: 200, action_url: '/orders', data: null }]);
      expect(rows[0].body).toMatch(/^New order \d+ from Meera Nair: INR 10.00$/);
    }
  });
  const seconds = Math.ceil((Date.now() - from) / 1_000);
  for (const person of team) {
    expect(sentTo(person).length).toBeGreaterThan(0);
    expect(sentTo(person).length).toBeLessThanOrEqual(seconds + 1);
  }
});

test('an Agent hears of orders, a Viewer only after choosing so, and a role without orders.view never', async () => {
  const acme = await platform.tenant();
  const asha = await platform.person({ tenant: acme });
  const [agent, viewer] = [
    await platform.person({ tenant: acme, role: 'Agent' }),
    await platform.person({ tenant: acme, role: 'Viewer' }),
  ];
  const role = await asha.post('/api/v1/roles', {
    name: 'Writer',
    permissions: ['notifications.view', 'products.view'],
  });
  expect(role.status).toBe(201);
  const writer = await platform.person({ tenant: acme, role: 'Viewer' });
  expect((await asha.patch(`/api/v1/team/${writer.id}`, { role: 'Writer' })).status).toBe(200);
  const chosen = async (person: Person) => {
    const { types } = (await person.get(`${url}/preferences`)).body.preferences;
    return types.find(({ type }: { type: string }) => type === 'order.created');
  };
  expect(await chosen(agent)).toMatchObject({ in_app: true, push: true, email: 'off' });
  expect(await chosen(viewer)).toMatchObject({ in_app: false, push: false, description: 'A new order' });
  expect(await chosen(writer)).toBeUndefined();
  const types = [{ type: 'order.created', in_app: true }];
  await writer.patch(`${url}/preferences`, { types });

  await placeOrders(asha, 1);
  await eventually(async () => expect(await listed(agent)).toHaveLength(1));
  expect(await listed(viewer)).toEqual([]);
  await viewer.patch(`${url}/preferences`, { types });
  await agent.patch(`${url}/preferences`, { types: [{ type: 'order.created', in_app: false }] });
  await placeOrders(asha, 1);
  await eventually(async () => expect(await listed(asha)).toMatchObject([{ count: 2 }]));
  expect(await listed(viewer)).toMatchObject([{ count: 1 }]);
  expect(await listed(agent)).toMatchObject([{ count: 1 }]);
  expect(await listed(writer)).toEqual([]);
});

test('a member who joins hears of the next order, and one who has left of none', async () => {
  const acme = await platform.tenant();
  const asha = await platform.person({ tenant: acme });
  const leaving = await platform.person({ tenant: acme, role: 'Agent' });
  await placeOrders(asha, 1);
  await eventually(async () => expect(await listed(leaving)).toMatchObject([{ count: 1 }]));
  expect((await asha.delete(`/api/v1/team/${leaving.id}`)).status).toBe(200);
  const joined = await platform.person({ tenant: acme, role: 'Agent' });
  await placeOrders(asha, 1);
  await eventually(async () => expect(await listed(joined)).toMatchObject([{ count: 1 }]));
  const rows = await acme.db.rows<{ count: number }>(
    sql`SELECT count FROM notifications WHERE user_id = ${leaving.id}`,
  );
  expect(rows).toEqual([{ count: 1 }]);
});

test('after it was read, the next order is a notification of its own', async () => {
  const acme = await platform.tenant();
  const asha = await platform.person({ tenant: acme });
  await placeOrders(asha, 3);
  await eventually(async () => expect(await listed(asha)).toMatchObject([{ title: '3 new orders' }]));
  await asha.post(`${url}/mark-all-read`);
  await placeOrders(asha, 1);
  await eventually(async () =>
    expect(await listed(asha, 'unread_only=true')).toMatchObject([
      { count: 1, title: expect.stringMatching(/^New order/) },
    ]),
  );
});
