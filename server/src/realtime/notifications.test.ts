import pusherModule from 'pusher-js';
import { expect, onTestFinished, test } from 'vitest';
import { startAccounts } from '../../testing/accounts.ts';
import { eventually } from '../../testing/eventually.ts';
import { getPort } from '../../testing/raw-http.ts';

// Its types describe another module format than Node loads.
const Pusher = pusherModule as unknown as typeof pusherModule.default;

test('a member whose console is open receives a notification at once', async () => {
  const platform = await startAccounts();
  const acme = await platform.tenant();
  const asha = await platform.person({ tenant: acme });
  await platform.app.listen({ host: '127.0.0.1', port: 0 });
  const port = getPort(platform.app);
  const pusher = new Pusher(platform.kernel.realtime.key, {
    cluster: '',
    wsHost: '127.0.0.1',
    wsPort: port,
    forceTLS: false,
    enabledTransports: ['ws'],
    authEndpoint: `http://127.0.0.1:${port}/broadcasting/auth`,
    auth: { headers: { Authorization: `Bearer ${asha.accessToken}`, 'X-Tenant': acme.id } },
  });
  onTestFinished(() => pusher.disconnect());
  const channel = pusher.subscribe(`private-user.${asha.id}`);
  const received: unknown[] = [];
  channel.bind('notification.created', (data: unknown) => received.push(data));
  await eventually(() => expect(channel.subscribed).toBe(true));
  await acme
    .context('orders')
    .notify('members', { type: 'order.created', title: 'New order', action_url: '/orders/7' });
  const [notification] = (await asha.get('/api/v1/notifications')).body.notifications;
  await eventually(() => expect(received).toEqual([{ ...notification, tenant_id: acme.id }]));
});
