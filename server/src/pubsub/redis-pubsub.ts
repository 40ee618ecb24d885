import type { Redis } from '../redis/redis.ts';
import type { MessageHandler, PubSub } from './pubsub.ts';
import { Subscriptions } from './subscriptions.ts';

/**
 * PubSub over Redis, with a fallback while Redis is unavailable. Every process subscribes to both, so that processes with
 * and without Redis reach each other.
 */
export class RedisPubSub implements PubSub {
  readonly #redis: Redis;
  readonly #channel: string;
  readonly #fallback: PubSub;
  readonly #subscriptions = new Subscriptions();

  constructor(redis: Redis, prefix: string, fallback: PubSub) {
    this.#redis = redis;
    this.#channel = `${prefix}messages`;
    this.#fallback = fallback;
    redis.subscriber.on('message', (_channel: string, text: string) => {
      const [channel, message] = JSON.parse(text);
      this.#subscriptions.publish(channel, message);
    });
    const subscribe = () => void redis.subscriber.subscribe(this.#channel).catch(() => {});
    redis.subscriber.on('ready', subscribe);
    if (redis.subscriber.status === 'ready') subscribe();
  }

  async publish(channel: string, text: string): Promise<void> {
    if (!this.#redis.isAvailable) return this.#fallback.publish(channel, text);
    try {
      await this.#redis.client.publish(this.#channel, JSON.stringify([channel, text]));
    } catch {
      await this.#fallback.publish(channel, text);
    }
  }

  async subscribe(channel: string, handler: MessageHandler): Promise<() => void> {
    const unsubscribeFallback = await this.#fallback.subscribe(channel, handler);
    const unsubscribe = this.#subscriptions.add(channel, handler);
    return () => {
      unsubscribe();
      unsubscribeFallback();
    };
  }
}
