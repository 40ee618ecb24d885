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

test('200 orders at once are one notification of each member, with the right number', async () => {
  const acme = await platform.tenant();
  const asha = await platform.person({ tenant: acme });
  const team = [asha, await platform.person({ tenant: acme, role: 'Manager' })];
  const from = Date.now();
  const posted = await Promise.all(Array.from({ length: 200 }, () => asha.post('/api/v1/orders', order('10.00'))));
  expect(posted.every(({ status }) => status === 201)).toBe(true);
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
