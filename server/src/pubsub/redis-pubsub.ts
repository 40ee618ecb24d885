import type { Redis } from '../redis/redis.ts';
import type { MessageHandler, PubSub } from './pubsub.ts';
import { Subscriptions } from './subscriptions.ts';

/**
 * PubSub over Redis, and over something else while Redis is away. Every process hears both: who has lost Redis and
 * who has it still understand each other.
 */
export class RedisPubSub implements PubSub {
  readonly #redis: Redis;
  readonly #channel: string;
  readonly #otherwise: PubSub;
  readonly #subscriptions = new Subscriptions();

  constructor(redis: Redis, prefix: string, otherwise: PubSub) {
    this.#redis = redis;
    this.#channel = `${prefix}messages`;
    this.#otherwise = otherwise;
    redis.subscriber.on('message', (_channel: string, text: string) => {
      const [channel, message] = JSON.parse(text);
      this.#subscriptions.publish(channel, message);
    });
    const listen = () => void redis.subscriber.subscribe(this.#channel).catch(() => {});
    redis.subscriber.on('ready', listen);
    if (redis.subscriber.status === 'ready') listen();
  }

  async publish(channel: string, text: string): Promise<void> {
    if (!this.#redis.up) return this.#otherwise.publish(channel, text);
    try {
      await this.#redis.client.publish(this.#channel, JSON.stringify([channel, text]));
    } catch {
      await this.#otherwise.publish(channel, text);
    }
  }

  async subscribe(channel: string, handler: MessageHandler): Promise<() => void> {
    const endOther = await this.#otherwise.subscribe(channel, handler);
    const end = this.#subscriptions.add(channel, handler);
    return () => {
      end();
      endOther();
    };
  }
}
