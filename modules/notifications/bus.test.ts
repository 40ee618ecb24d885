import { type Ctx, sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { startAccounts } from '../../server/testing/accounts.ts';
import { repositoryModules } from '../../server/testing/repository-modules.ts';
import { testModule } from '../../server/testing/test-module.ts';

const consumes = ['notifications.sendInApp'];
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
