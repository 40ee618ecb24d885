import { type Client, pusherOptions } from '@chowk/client';
import type Echo from 'laravel-echo';

/** A socket for channels of the Pusher protocol, whose library no page waits for. */
export async function openEcho(client: Client): Promise<Echo<'pusher'>> {
  const [options, { Echo, Pusher }] = await Promise.all([pusherOptions(client), import('./echo.ts')]);
  // The platform that has served this page, whatever address it has for other clients: the page's policy allows no other.
  const port = Number(location.port) || (location.protocol === 'https:' ? 443 : 80);
  const here = { wsHost: location.hostname, wsPort: port, wssPort: port, forceTLS: location.protocol === 'https:' };
  return new Echo({ broadcaster: 'pusher', Pusher, ...options, ...here });
}
