import { ChowkError, type Client } from '@chowk/client';

interface Subscription {
  readonly channel: string;
  readonly event: string;
  onSubscribed(): Promise<void>;
  onEvent(data: unknown): Promise<void>;
}

/** The time without a message after which the connection counts as lost. The platform sends a ping before. */
const idleTimeoutMs = 150_000;

/** Follows a channel of the Pusher protocol until the connection is lost. Throws if the platform refuses the subscription. */
export function followChannel(client: Client, subscription: Subscription): Promise<void> {
  return new Promise((resolve, reject) => {
    follow(client, subscription, resolve).catch((error) => (isRefusal(error) ? reject(error) : resolve()));
  });
}

function isRefusal(error: unknown): boolean {
  return error instanceof ChowkError && error.status < 500;
}

async function follow(client: Client, subscription: Subscription, onLost: () => void): Promise<void> {
  const { key, host, port, scheme } = await client.realtime.config();
  const address = `${scheme === 'https' ? 'wss' : 'ws'}://${host}:${port}/app/${key}?protocol=7&client=chowk`;
  const socket = new WebSocket(address);
  await new Promise<void>((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    // One message after the other, so that they are shown in their order.
    let queue = Promise.resolve();
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(() => socket.close(), idleTimeoutMs);
    };
    socket.addEventListener('open', wait);
    socket.addEventListener('message', ({ data }) => {
      wait();
      queue = queue.then(() => receive(client, socket, subscription, String(data)));
      queue.catch((error) => {
        socket.close();
        reject(error);
      });
    });
    socket.addEventListener('close', () => {
      clearTimeout(timer);
      resolve();
    });
    socket.addEventListener('error', () => socket.close());
  });
  onLost();
}

async function receive(client: Client, socket: WebSocket, subscription: Subscription, text: string): Promise<void> {
  const { event, data } = JSON.parse(text) as { event: string; data?: unknown };
  const content = typeof data === 'string' ? JSON.parse(data) : data;
  const send = (name: string, data: object) => socket.send(JSON.stringify({ event: name, data }));
  switch (event) {
    case 'pusher:connection_established': {
      const { channel } = subscription;
      const grant = await client.realtime.authorize({ socket_id: content.socket_id, channel_name: channel });
      return send('pusher:subscribe', { channel, ...grant });
    }
    case 'pusher:ping':
      return send('pusher:pong', {});
    case 'pusher_internal:subscription_succeeded':
      return subscription.onSubscribed();
    case subscription.event:
      return subscription.onEvent(content);
    default:
      return;
  }
}
