import type { Log } from '@chowk/kit';
import { Redis as Client } from 'ioredis';

/** A command without an answer for this long counts as lost: whoever sent it goes on without Redis. */
const patienceMs = 1_000;
const longestBackoffMs = 2_000;

/**
 * The Redis that processes share, when one is configured. It may go away at any time: every use has something to fall
 * back on, commands fail at once while it is away, and it is taken up again as soon as it is back.
 */
export class Redis {
  /** For commands. */
  readonly client: Client;
  /** For what others publish: a connection that listens can do nothing else. */
  readonly subscriber: Client;

  constructor(url: string, log: Log) {
    this.client = connect(url);
    this.subscriber = connect(url);
    // Each failed attempt is an error; two lines for an outage are enough.
    let away = false;
    this.client.on('error', () => {});
    this.subscriber.on('error', () => {});
    this.client.on('close', () => {
      if (!away) log.warn({}, 'Redis is away; going on without it');
      away = true;
    });
    this.client.on('ready', () => {
      if (away) log.info({}, 'Redis is back');
      away = false;
    });
  }

  get up(): boolean {
    return this.client.status === 'ready';
  }

  close(): void {
    // Going away ourselves is no outage.
    this.client.removeAllListeners('close');
    this.client.disconnect();
    this.subscriber.disconnect();
  }
}

function connect(url: string): Client {
  return new Client(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: patienceMs,
    commandTimeout: patienceMs,
    autoResubscribe: true,
    retryStrategy: (times) => Math.min(times * 100, longestBackoffMs),
  });
}
