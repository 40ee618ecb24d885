import { type Client, type Notification, pusherOptions } from '@chowk/client';
import Echo from 'laravel-echo';
import Pusher from 'pusher-js';

interface Listener {
  readonly add: (notification: Notification) => void;
  /** The channel has been subscribed, again after each lost connection. */
  readonly catchUp: () => void;
  /** The channel could not be subscribed. */
  readonly failed: () => void;
}

/** Returns a function that disconnects. */
export async function listen(client: Client, userId: number, { add, catchUp, failed }: Listener): Promise<() => void> {
  const options = await pusherOptions(client);
  // The platform that has served this page, whatever address it has for other clients: the page's policy allows no other.
  const port = Number(location.port) || (location.protocol === 'https:' ? 443 : 80);
  const here = { wsHost: location.hostname, wsPort: port, wssPort: port, forceTLS: location.protocol === 'https:' };
  const echo = new Echo({ broadcaster: 'pusher', Pusher, ...options, ...here });
  echo.private(`user.${userId}`).listen('.notification.created', add).subscribed(catchUp).error(failed);
  return () => echo.disconnect();
}
