import type { SharedCache } from '../shared-cache.ts';
import type { Redis } from './redis.ts';

/**
 * One cache for all processes. While Redis is away each has its own, which is asked for nothing that was set before:
 * what another process has changed meanwhile must not come back out of it.
 */
export class RedisCache implements SharedCache {
  readonly #redis: Redis;
  readonly #prefix: string;
  readonly #makeLocal: () => SharedCache;
  #local: SharedCache;

  constructor(redis: Redis, prefix: string, makeLocal: () => SharedCache) {
    this.#redis = redis;
    this.#prefix = `${prefix}cache:`;
    this.#makeLocal = makeLocal;
    this.#local = makeLocal();
    redis.client.on('ready', () => {
      this.#local = this.#makeLocal();
    });
  }

  async get(key: string): Promise<unknown> {
    return this.#try(
      async () => {
        const text = await this.#redis.client.get(this.#prefix + key);
        return text === null ? undefined : JSON.parse(text);
      },
      () => this.#local.get(key),
    );
  }

  async set(key: string, value: unknown, seconds: number): Promise<void> {
    await this.#try(
      () => this.#redis.client.set(this.#prefix + key, JSON.stringify(value), 'PX', Math.ceil(seconds * 1_000)),
      () => this.#local.set(key, value, seconds),
    );
  }

  async delete(key: string): Promise<void> {
    await this.#try(
      () => this.#redis.client.del(this.#prefix + key),
      () => this.#local.delete(key),
    );
  }

  #try(shared: () => Promise<unknown>, local: () => Promise<unknown>): Promise<unknown> {
    return this.#redis.up ? shared().catch(local) : local();
  }
}
