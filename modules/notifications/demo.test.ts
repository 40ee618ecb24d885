import { expect, test } from 'vitest';
import { fillTenant } from '../../server/src/demo/fill-tenant.ts';
import { startAccounts } from '../../server/testing/accounts.ts';

test('the demo gives every member read and unread notifications', async () => {
  const platform = await startAccounts();
  const tenant = await platform.tenant();
  const asha = await platform.person({ tenant });
  await platform.person({ tenant, role: 'Agent' });
  const callbacks = { onRows: () => {}, onStep: () => {} };
  const request = { tenant, database: `tenant${tenant.id}`, size: 10, seed: 7, now: new Date(), ...callbacks };
  expect((await fillTenant(platform.kernel, request)).get('notifications')).toBe(80);
  const { body } = await asha.get('/api/v1/notifications?per_page=100');
  const unread = body.notifications.filter(({ read_at }: { read_at: string | null }) => read_at === null);
  expect(body.pagination.total).toBe(40);
  expect((await asha.get('/api/v1/notifications/unread-count')).body).toEqual({ unread_count: unread.length });
  expect(unread.length).toBeGreaterThan(0);
  expect(unread.length).toBeLessThan(40);
});
