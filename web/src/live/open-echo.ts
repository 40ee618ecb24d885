import { type Client, pusherOptions } from '@chowk/client';
import Echo from 'laravel-echo';
import Pusher from 'pusher-js';

/** A socket for channels of the Pusher protocol. */
export async function openEcho(client: Client): Promise<Echo<'pusher'>> {
  const options = await pusherOptions(client);
  // The platform that has served this page, whatever address it has for other clients: the page's policy allows no other.
  const port = Number(location.port) || (location.protocol === 'https:' ? 443 : 80);
  const here = { wsHost: location.hostname, wsPort: port, wssPort: port, forceTLS: location.protocol === 'https:' };
  return new Echo({ broadcaster: 'pusher', Pusher, ...options, ...here });
}
