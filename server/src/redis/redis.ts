import type { Log } from '@chowk/kit/kernel';
import { Redis as Client } from 'ioredis';

/** A command without a response for this long fails, and its caller uses the fallback. */
const timeoutMs = 1_000;
const maxBackoffMs = 2_000;

/**
 * The optional Redis that processes share. It may become unavailable at any time: commands then fail at once, every use
 * has a fallback, and the connection is restored automatically.
 */
export class Redis {
  readonly client: Client;
  /** A connection with subscriptions cannot send other commands. */
  readonly subscriber: Client;

  constructor(url: string, log: Log) {
    this.client = createClient(url);
    this.subscriber = createClient(url);
    // Every failed attempt emits an error; only the begin and the end of an outage are logged.
    let isDown = false;
    this.client.on('error', () => {});
    this.subscriber.on('error', () => {});
    this.client.on('close', () => {
      if (!isDown) log.warn({}, 'Redis is unavailable; using the fallbacks');
      isDown = true;
    });
    this.client.on('ready', () => {
      if (isDown) log.info({}, 'Redis is available again');
      isDown = false;
    });
  }

  get isAvailable(): boolean {
    return this.client.status === 'ready';
  }

  close(): void {
    // Closing is not an outage.
    this.client.removeAllListeners('close');
    this.client.disconnect();
    this.subscriber.disconnect();
  }
}

function createClient(url: string): Client {
  return new Client(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    autoResubscribe: true,
    retryStrategy: (times) => Math.min(times * 100, maxBackoffMs),
  });
}
