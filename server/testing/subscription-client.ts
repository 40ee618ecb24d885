import { type Client, type ClientOptions, createClient, type SubscribePayload } from 'graphql-ws';
import { expect, onTestFinished, vi } from 'vitest';
import WebSocket from 'ws';
import { eventually } from './eventually.ts';
import type { TestPlatform } from './platform.ts';
import { getPort } from './raw-http.ts';

type Process = Pick<TestPlatform, 'app' | 'kernel'>;

/** The library that frontends use, unmodified. */
export class SubscriptionClient {
  readonly client: Client;
  /** The codes with which the server closed the connections. */
  readonly closed: number[] = [];
  readonly #process: Process;

  constructor(process: Process, params: ClientOptions['connectionParams'], options: Partial<ClientOptions> = {}) {
    this.#process = process;
    this.client = createClient({
      url: `ws://127.0.0.1:${getPort(process.app)}/api/v1/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: params as never,
      retryAttempts: 0,
      ...options,
    });
    this.client.on('closed', (event) => this.closed.push((event as { code: number }).code));
    onTestFinished(() => this.client.dispose());
  }

  /** Subscribes, and waits until events are delivered. */
  async subscribe(query: string, request: Partial<SubscribePayload> = {}): Promise<Received> {
    const { calls } = vi.spyOn(this.#process.kernel.feed, 'subscribe').mock;
    const before = calls.length;
    const received = this.start(query, request);
    await eventually(() => expect([calls.length, received.errors]).toEqual([before + 1, []]));
    return received;
  }

  /** Subscribes to something that may be refused. */
  start(query: string, request: Partial<SubscribePayload> = {}): Received {
    const received: Received = { events: [], errors: [], isComplete: false, end: () => {} };
    received.end = this.client.subscribe(
      { query, ...request },
      {
        next: (event) => received.events.push(event),
        error: (error) => received.errors.push(error),
        complete: () => {
          received.isComplete = true;
        },
      },
    );
    return received;
  }
}

export interface Received {
  // biome-ignore lint/suspicious/noExplicitAny: tests read results of every shape
  readonly events: any[];
  // biome-ignore lint/suspicious/noExplicitAny: errors and close events
  readonly errors: any[];
  isComplete: boolean;
  end(): void;
}
