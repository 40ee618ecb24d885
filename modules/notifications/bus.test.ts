import { type Ctx, type Operations, sql } from '@chowk/kit';
import { expect, test, vi } from 'vitest';
import { startAccounts } from '../../server/testing/accounts.ts';
import { repositoryModules } from '../../server/testing/repository-modules.ts';
import { testModule } from '../../server/testing/test-module.ts';

const consumes = ['notifications.sendInApp', 'notifications.sendEmail', 'notifications.send'];
const caller = testModule({ alias: 'alerts', consumes });
const platform = await startAccounts({ modules: [...(await repositoryModules()), caller] });
const acme = await platform.tenant();
const { bus } = acme.context('alerts') as Ctx;

test('a module notifies a member over the bus', async () => {
  const asha = await platform.person({ tenant: acme });
  const message = { user_id: asha.id, title: 'Stock is low', body: 'Rice', data: { sku: 'R1' } };
  expect(await bus.call('notifications.sendInApp', message)).toEqual({ sent: true, reason: null });
  const { notifications } = (await asha.get('/api/v1/notifications')).body;
  expect(notifications).toMatchObject([{ ...message, type: 'notification.sent', severity: 'info' }]);
});

test('a user who is not a member is not notified', async () => {
  const stranger = await platform.person({ tenant: await platform.tenant() });
  const message = { user_id: stranger.id, title: 'Stock is low', body: null, data: null };
  expect(await bus.call('notifications.sendInApp', message)).toEqual({ sent: false, reason: 'not_a_member' });
  expect(await acme.context('orders').db.rows(sql`SELECT FROM notifications WHERE user_id = ${stranger.id}`)).toEqual(
    [],
  );
});

test.each<[keyof Operations, object]>([
  ['notifications.sendEmail', { to: 'ravi@example.com', subject: 'Hi', body: 'Your secret order' }],
  ['notifications.send', { channel: 'sms', to: '+919876543210', message: 'Your secret order' }],
])('%s writes a line to the log, without address and text', async (operation, message) => {
  const info = vi.spyOn(platform.kernel.log, 'info');
  expect(await bus.call(operation, message as never)).toEqual({ provider: 'log' });
  const lines = info.mock.calls.map((call) => JSON.stringify(call)).filter((line) => line.includes('message logged'));
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toMatch(/secret|ravi|98765/);
  info.mockRestore();
});
