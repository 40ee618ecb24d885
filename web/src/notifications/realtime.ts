import type { Client, Notification } from '@chowk/client';
import { openEcho } from '../live/open-echo.ts';

interface Listener {
  readonly add: (notification: Notification) => void;
  /** The channel has been subscribed, again after each lost connection. */
  readonly catchUp: () => void;
  /** The channel could not be subscribed. */
  readonly failed: () => void;
}

/** Returns a function that disconnects. */
export async function listen(client: Client, userId: number, { add, catchUp, failed }: Listener): Promise<() => void> {
  const echo = await openEcho(client);
  echo.private(`user.${userId}`).listen('.notification.created', add).subscribed(catchUp).error(failed);
  return () => echo.disconnect();
}
