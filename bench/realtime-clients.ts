import WebSocket from 'ws';
import { preciseTime } from './pace.ts';
import { inParallel } from './platform.ts';

/* A process with client sockets, for realtime.ts, which talks to it over IPC. */

export interface Target {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly sockets: number;
  /** A channel of the Pusher protocol. Absent: a socket is ready when it is open. */
  readonly channel?: {
    readonly name: string;
    /** Each socket has a channel of its own: the name and its number. */
    readonly isNumbered?: boolean;
    /** The endpoint that signs the subscription to a private channel. */
    readonly auth?: { readonly url: string; readonly headers: Readonly<Record<string, string>> };
  };
}

/** `collect`: responds with the delays of this many events, in milliseconds. */
export type ClientRequest = { readonly open: Target } | { readonly collect: number };

const parallel = 32;
let delays: number[] = [];
let onDelay = () => {};

process.on('disconnect', () => process.exit());
process.on('message', async (request: ClientRequest) => {
  if ('open' in request) {
    const { open } = request;
    await inParallel([...Array(open.sockets).keys()], parallel, (n) => openSocket(open, n));
    process.send?.('open');
    return;
  }
  delays = [];
  await new Promise<void>((resolve) => {
    onDelay = () => delays.length === request.collect && resolve();
  });
  process.send?.(delays);
});

function openSocket({ url, headers = {}, channel }: Target, n: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { headers, perMessageDeflate: false });
    const name = channel && `${channel.name}${channel.isNumbered ? n : ''}`;
    const subscribe = async (socketId: string) => {
      const signed = channel?.auth ? await authorize(channel.auth, socketId, name ?? '') : {};
      socket.send(JSON.stringify({ event: 'pusher:subscribe', data: { channel: name, ...signed } }));
    };
    if (!channel) socket.once('open', () => resolve());
    socket.once('error', reject);
    socket.once('close', (code) => reject(new Error(`the server closed a socket with ${code}`)));
    socket.on('message', (bytes) => {
      const text = String(bytes);
      const [, sentAt] = /at\\+":([\d.]+)/.exec(text) ?? [];
      if (sentAt) {
        delays.push(preciseTime() - Number(sentAt));
        onDelay();
        return;
      }
      const { event, data } = JSON.parse(text);
      if (event === 'pusher:connection_established') subscribe(JSON.parse(data).socket_id).catch(reject);
      else if (event === 'pusher_internal:subscription_succeeded') resolve();
      else if (event === 'pusher:ping') socket.send(JSON.stringify({ event: 'pusher:pong', data: {} }));
      else if (event === 'pusher:error') reject(new Error(text));
    });
  });
}

async function authorize({ url, headers }: { url: string; headers: object }, socket_id: string, channel_name: string) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ socket_id, channel_name }),
  });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as object;
}
