import { createClient, memoryTokens } from '@chowk/client';
import { createClient as createSocket } from 'graphql-ws';
import { expect, onTestFinished, test } from 'vitest';
import { startAccounts } from '../../../server/testing/accounts.ts';
import { eventually } from '../../../server/testing/eventually.ts';
import { getPort } from '../../../server/testing/raw-http.ts';
import { startProxy } from '../../../server/testing/tcp-proxy.ts';

const platform = await startAccounts();
await platform.app.listen({ host: '127.0.0.1', port: 0 });

test('subscriptions continue after the platform could not be reached for a while', async () => {
  const acme = await platform.tenant();
  const asha = await platform.person({ tenant: acme });
  const proxy = await startProxy({ host: '127.0.0.1', port: getPort(platform.app), user: '', password: '' });
  const { host, port } = proxy.address;
  const chowk = createClient({ url: `http://${host}:${port}`, tenant: acme.id, tokens: memoryTokens() });
  await chowk.signIn(asha);
  let failures = 0;
  let orders = 0;
  const socket = createSocket({
    ...chowk.subscriptionOptions(),
    retryWait: async () => {
      failures += 1;
      await new Promise((resolve) => setTimeout(resolve, 20));
    },
  });
  onTestFinished(() => socket.dispose());
  const ended: unknown[] = [];
  socket.subscribe(
    { query: 'subscription { orderCreated { __typename } }' },
    {
      next: () => {
        orders += 1;
      },
      error: (error) => ended.push(error),
      complete: () => ended.push('complete'),
    },
  );
  const orderUntilSeen = async (count: number) =>
    eventually(async () => {
      await asha.post('/api/v1/orders', { items: [{ name: 'Tea', quantity: 1, price: '10.00' }] });
      expect(orders).toBeGreaterThanOrEqual(count);
    });
  await orderUntilSeen(1);
  proxy.cut();
  await eventually(() => expect(failures).toBeGreaterThan(3));
  proxy.heal();
  await orderUntilSeen(orders + 1);
  expect(ended).toEqual([]);
});
