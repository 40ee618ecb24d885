import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startAccounts } from '../../server/testing/accounts.ts';

const platform = await startAccounts();
const acme = await platform.tenant();
const orders = acme.context('orders');
const url = '/api/v1/notifications';

type Person = Awaited<ReturnType<typeof platform.person>>;
interface Listed {
  readonly id: string;
  readonly group_key: string | null;
  readonly read_at: string | null;
}

const listed = async (person: Person, query = ''): Promise<Listed[]> =>
  (await person.get(`${url}?per_page=100${query}`)).body.notifications;

/** Does something to one of the notifications that the user has now. */
async function toOne(person: Person, choice: number, act: (id: string) => Promise<unknown>): Promise<void> {
  const all = await listed(person);
  const chosen = all[choice % all.length];
  if (chosen) await act(chosen.id);
}

const steps: Record<string, (person: Person, choice: number) => Promise<unknown>> = {
  send: ({ id }) => orders.notify(id, { type: 'order.updated', title: 'New order' }),
  repeat: ({ id }, choice) =>
    orders.notify(id, { type: 'order.updated', title: 'New order', group_key: `group ${choice % 2}` }),
  read: (person, choice) =>
    toOne(person, choice, async (id) => expect((await person.patch(`${url}/${id}/read`)).status).toBeLessThan(500)),
  delete: (person, choice) =>
    toOne(person, choice, async (id) => expect((await person.delete(`${url}/${id}`)).status).toBeLessThan(500)),
  markUnread: (person, choice) =>
    toOne(person, choice, async (id) => {
      const marking = acme.context().bus.call('notifications.markAsUnread', { id });
      await marking.catch((error) => expect(error).toMatchObject({ status: 404 }));
    }),
  readAll: async (person) => expect((await person.post(`${url}/mark-all-read`)).status).toBe(200),
};

const Step = fc.record({
  name: fc.constantFrom('send', 'send', 'repeat', 'repeat', 'read', 'delete', 'markUnread', 'readAll'),
  choice: fc.nat(99),
});
const Histories = fc.array(fc.array(Step, { minLength: 3, maxLength: 8 }), { minLength: 8, maxLength: 8 });

test('whatever eight writers do at once, counts are exact and a group has one unread notification', async () => {
  await fc.assert(
    fc.asyncProperty(Histories, async (histories) => {
      const asha = await platform.person({ tenant: acme });
      await Promise.all(
        histories.map(async (history) => {
          for (const { name, choice } of history) await steps[name]?.(asha, choice);
        }),
      );
      const all = await listed(asha);
      const unread = all.filter(({ read_at }) => read_at === null);
      expect((await asha.get(`${url}/unread-count`)).body).toEqual({ unread_count: unread.length });
      expect((await asha.get(url)).body.pagination.total).toBe(all.length);
      expect((await asha.get(`${url}?unread_only=true`)).body.pagination.total).toBe(unread.length);
      expect(await listed(asha, '&unread_only=true')).toEqual(unread);
      const groups = unread.flatMap(({ group_key }) => group_key ?? []);
      expect(groups).toEqual([...new Set(groups)]);
    }),
    { numRuns: 5 },
  );
});

test('no repetition is lost when eight are sent at once', async () => {
  const asha = await platform.person({ tenant: acme });
  const ravi = await platform.person({ tenant: acme });
  const repeat = (to: number[]) =>
    orders.notify(to, { type: 'order.updated', title: 'New order', group_key: 'orders' });
  await Promise.all(
    Array.from({ length: 8 }, (_, index) => repeat(index % 2 === 0 ? [asha.id, ravi.id] : [ravi.id, asha.id])),
  );
  for (const person of [asha, ravi]) expect(await listed(person)).toMatchObject([{ count: 8 }]);
});
