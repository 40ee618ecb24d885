import type { FastifyInstance } from 'fastify';
import { onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { eventually } from './eventually.ts';
import type { TestCaller } from './platform.ts';
import { getPort } from './raw-http.ts';

export interface Frame {
  readonly event: string;
  readonly channel?: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read data of every shape
  readonly data: any;
}

/** A socket without a library, for messages that no library sends. */
export class RealtimeClient {
  readonly frames: Frame[] = [];
  readonly socket: WebSocket;
  /** The code of the close frame. */
  readonly closed: Promise<number>;

  constructor(app: FastifyInstance, path: string, headers: Record<string, string> = {}) {
    this.socket = new WebSocket(`ws://127.0.0.1:${getPort(app)}${path}`, { headers });
    this.socket.on('message', (text) => this.frames.push(readFrame(String(text))));
    this.closed = new Promise((resolve) => this.socket.on('close', resolve));
    onTestFinished(() => this.socket.terminate());
  }

  send(event: string, data: object): void {
    this.socket.send(JSON.stringify({ event, data }));
  }

  /** Waits for the first frame with this event that no earlier call has returned. */
  async next(event: string): Promise<Frame> {
    return eventually(() => {
      const index = this.frames.findIndex((frame) => frame.event === event);
      const [frame] = index === -1 ? [] : this.frames.splice(index, 1);
      if (!frame) throw new Error(`no ${event}; received are ${JSON.stringify(this.frames)}`);
      return frame;
    });
  }

  async socketId(): Promise<string> {
    return (await this.next('pusher:connection_established')).data.socket_id;
  }

  /** Everything that the server has sent before has arrived afterwards. */
  async flush(): Promise<void> {
    this.send('pusher:ping', {});
    await this.next('pusher:pong');
  }
}

function readFrame(text: string): Frame {
  const { data, ...frame } = JSON.parse(text);
  return { ...frame, data: typeof data === 'string' ? JSON.parse(data) : data };
}

/** Subscribes to a private or presence channel as the caller. */
export async function subscribe(
  client: RealtimeClient,
  caller: Pick<TestCaller, 'post'>,
  socket_id: string,
  channel: string,
) {
  const { status, body } = await caller.post('/broadcasting/auth', { socket_id, channel_name: channel });
  if (status !== 200) throw new Error(`${channel} was refused with ${status}`);
  client.send('pusher:subscribe', { channel, ...body });
  return client.next('pusher_internal:subscription_succeeded');
}
