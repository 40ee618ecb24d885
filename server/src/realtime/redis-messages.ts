import type { Redis } from '../redis/redis.ts';
import type { Heard, Messages } from './messages.ts';
import { Subscriptions } from './subscriptions.ts';

/**
 * Messages over Redis, and over something else while Redis is away. Every process hears both: who has lost Redis and
 * who has it still understand each other.
 */
export class RedisMessages implements Messages {
  readonly #redis: Redis;
  readonly #channel: string;
  readonly #otherwise: Messages;
  readonly #subscriptions = new Subscriptions();

  constructor(redis: Redis, prefix: string, otherwise: Messages) {
    this.#redis = redis;
    this.#channel = `${prefix}messages`;
    this.#otherwise = otherwise;
    redis.subscriber.on('message', (_channel: string, text: string) => {
      const [channel, message] = JSON.parse(text);
      this.#subscriptions.tell(channel, message);
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

  async subscribe(channel: string, heard: Heard): Promise<() => void> {
    const endOther = await this.#otherwise.subscribe(channel, heard);
    const end = this.#subscriptions.add(channel, heard);
    return () => {
      end();
      endOther();
    };
  }
}
