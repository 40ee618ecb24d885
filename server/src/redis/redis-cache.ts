import type { SharedCache } from '../shared-cache.ts';
import type { Redis } from './redis.ts';

/**
 * One cache for all processes. While Redis is unavailable each process uses a local cache, which is discarded when Redis
 * is back so that no outdated value returns in the next outage.
 */
export class RedisCache implements SharedCache {
  readonly #redis: Redis;
  readonly #prefix: string;
  readonly #createLocal: () => SharedCache;
  #local: SharedCache;

  constructor(redis: Redis, prefix: string, createLocal: () => SharedCache) {
    this.#redis = redis;
    this.#prefix = `${prefix}cache:`;
    this.#createLocal = createLocal;
    this.#local = createLocal();
    redis.client.on('ready', () => {
      this.#local = this.#createLocal();
    });
  }

  async get(key: string): Promise<unknown> {
    return this.#withFallback(
      async () => {
        const text = await this.#redis.client.get(this.#prefix + key);
        return text === null ? undefined : JSON.parse(text);
      },
      () => this.#local.get(key),
    );
  }

  async set(key: string, value: unknown, seconds: number): Promise<void> {
    await this.#withFallback(
      () => this.#redis.client.set(this.#prefix + key, JSON.stringify(value), 'PX', Math.ceil(seconds * 1_000)),
      () => this.#local.set(key, value, seconds),
    );
  }

  async delete(key: string): Promise<void> {
    await this.#withFallback(
      () => this.#redis.client.del(this.#prefix + key),
      () => this.#local.delete(key),
    );
  }

  #withFallback(shared: () => Promise<unknown>, local: () => Promise<unknown>): Promise<unknown> {
    return this.#redis.isAvailable ? shared().catch(local) : local();
  }
}
