import Echo from 'laravel-echo';
import Pusher from 'pusher-js';
import { expect, onTestFinished, test } from 'vitest';
import { startAccounts } from '../../server/testing/accounts.ts';
import { eventually } from '../../server/testing/eventually.ts';
import { getPort } from '../../server/testing/raw-http.ts';
import { createClient, memoryTokens, pusherOptions, type Tokens } from './client.ts';

const platform = await startAccounts();
await platform.app.listen({ host: '127.0.0.1', port: 0 });
const acme = await platform.tenant();

test('laravel-echo listens with tokens that the client refreshes', async () => {
  const person = await platform.person({ tenant: acme });
  const tokens = memoryTokens();
  const chowk = createClient({ url: `http://127.0.0.1:${getPort(platform.app)}`, tenant: acme.id, tokens });
  await chowk.signIn(person);
  const echo = new Echo({ broadcaster: 'pusher', Pusher, ...(await pusherOptions(chowk)) });
  onTestFinished(() => echo.disconnect());
  await tokens.set({ ...((await tokens.get()) as Tokens), accessToken: 'no-longer-valid' });
  const titles: string[] = [];
  await new Promise<void>((resolve) => {
    echo
      .private(`user.${person.id}`)
      .listen('.notification.created', ({ title }: { title: string }) => titles.push(title))
      .subscribed(resolve);
  });
  const notification = { type: 'order.created', title: 'A new order' };
  await acme.context('orders').tx((tx) => tx.notify(person.id, notification));
  await eventually(() => expect(titles).toEqual(['A new order']));
});

test("a subscription to another user's channel is refused", async () => {
  const person = await platform.person({ tenant: acme });
  const chowk = createClient({ url: `http://127.0.0.1:${getPort(platform.app)}`, tenant: acme.id });
  await chowk.signIn(person);
  const echo = new Echo({ broadcaster: 'pusher', Pusher, ...(await pusherOptions(chowk)) });
  onTestFinished(() => echo.disconnect());
  const failure = await new Promise((resolve) => echo.private(`user.${person.id + 1}`).error(resolve));
  expect(failure).toMatchObject({ type: 'AuthError' });
});
