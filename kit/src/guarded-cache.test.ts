import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GuardedCache } from './guarded-cache.ts';

interface Version {
  readonly key: string;
  readonly version: number;
}

/** A cache whose loads the test resolves or rejects one by one. */
function createManualCache(max = 10) {
  const loads: { key: string; resolve: (value: Version | undefined) => void; reject: (error: Error) => void }[] = [];
  const load = (key: string) =>
    new Promise<Version | undefined>((resolve, reject) => loads.push({ key, resolve, reject }));
  return { loads, cache: new GuardedCache<Version>({ max, load }) };
}

/** A cache that loads a value for every key except `unknown…`. */
function createCache(max: number) {
  const loads: string[] = [];
  const load = async (key: string) => {
    loads.push(key);
    return key.startsWith('unknown') ? undefined : { key, version: loads.length };
  };
  return { loads, cache: new GuardedCache<Version>({ max, load }) };
}

test('a cached value is returned without loading again', async () => {
  const { loads, cache } = createCache(10);
  const first = await cache.get('a');
  expect(await cache.get('a')).toBe(first);
  expect(loads).toEqual(['a']);
});

test('concurrent lookups of one key share one load', async () => {
  const { loads, cache } = createManualCache();
  const results = Promise.all([cache.get('a'), cache.get('a'), cache.get('a')]);
  const value = { key: 'a', version: 1 };
  expect(loads).toHaveLength(1);
  loads[0]?.resolve(value);
  expect(await results).toEqual([value, value, value]);
});

test('a lookup after an invalidation does not share a load from before it', async () => {
  const { loads, cache } = createManualCache();
  const before = cache.get('a');
  cache.invalidate('a');
  const after = cache.get('a');
  expect(loads).toHaveLength(2);
  loads[1]?.resolve({ key: 'a', version: 2 });
  expect(await after).toMatchObject({ version: 2 });
  loads[0]?.resolve({ key: 'a', version: 1 });
  expect(await before).toMatchObject({ version: 1 });
  expect(await cache.get('a')).toMatchObject({ version: 2 });
  expect(loads).toHaveLength(2);
});

test('a failed load rejects all its callers and is not cached', async () => {
  const { loads, cache } = createManualCache();
  const results = [cache.get('a'), cache.get('a')];
  loads[0]?.reject(new Error('load failed'));
  for (const result of results) await expect(result).rejects.toThrow('load failed');
  const again = cache.get('a');
  loads[1]?.resolve({ key: 'a', version: 1 });
  expect(await again).toMatchObject({ version: 1 });
  expect(await cache.get('a')).toMatchObject({ version: 1 });
});

test('a failed load from before an invalidation does not affect the load after it', async () => {
  const { loads, cache } = createManualCache();
  const before = cache.get('a');
  cache.invalidate('a');
  const after = [cache.get('a'), cache.get('a')];
  loads[0]?.reject(new Error('load failed'));
  await expect(before).rejects.toThrow('load failed');
  after.push(cache.get('a'));
  loads[1]?.resolve({ key: 'a', version: 2 });
  expect(await Promise.all(after)).toMatchObject([{ version: 2 }, { version: 2 }, { version: 2 }]);
  expect(loads).toHaveLength(2);
});

test('a miss is cached until it is invalidated', async () => {
  const { loads, cache } = createCache(10);
  expect(await cache.get('unknown')).toBeUndefined();
  expect(await cache.get('unknown')).toBeUndefined();
  expect(loads).toEqual(['unknown']);
  cache.invalidate('unknown');
  await cache.get('unknown');
  cache.invalidateWhere(() => false);
  await cache.get('unknown');
  expect(loads).toHaveLength(3);
});

test('many unknown keys evict no cached value, and their number is bounded', async () => {
  const { loads, cache } = createCache(50);
  for (let index = 0; index < 50; index += 1) await cache.get(`known ${index}`);
  for (let index = 0; index < 5_000; index += 1) await cache.get(`unknown ${index}`);
  expect(cache.size).toBe(50);
  loads.length = 0;
  for (let index = 0; index < 50; index += 1) await cache.get(`known ${index}`);
  expect(loads).toEqual([]);
  for (let index = 0; index < 5_000; index += 1) await cache.get(`unknown ${index}`);
  expect(loads.length).toBeGreaterThan(4_800);
});

test('the number of cached values is bounded', async () => {
  const { cache } = createCache(20);
  for (let index = 0; index < 1_000; index += 1) await cache.get(`key ${index}`);
  expect(cache.size).toBe(20);
});

test('invalidateWhere removes only the matching values', async () => {
  const { loads, cache } = createCache(10);
  await cache.get('a');
  await cache.get('b');
  cache.invalidateWhere(({ key }) => key === 'a');
  await cache.get('a');
  await cache.get('b');
  expect(loads).toEqual(['a', 'b', 'a']);
});

test('while the cache is not trusted, every lookup loads and nothing is cached', async () => {
  const { loads, cache } = createManualCache();
  const before = cache.get('a');
  cache.trust(false);
  loads[0]?.resolve({ key: 'a', version: 1 });
  await before;
  const meanwhile = [cache.get('a'), cache.get('a')];
  expect(loads).toHaveLength(3);
  cache.trust(true);
  for (const { resolve } of loads) resolve({ key: 'a', version: 2 });
  await Promise.all(meanwhile);
  expect(cache.size).toBe(0);
  const after = cache.get('a');
  expect(loads).toHaveLength(4);
  loads[3]?.resolve({ key: 'a', version: 3 });
  expect(await after).toMatchObject({ version: 3 });
  expect(await cache.get('a')).toMatchObject({ version: 3 });
});

type Step = 'get' | 'change' | 'remove' | 'change another' | 'disconnect';

/**
 * A cache with a data source. The source is read between the begin and the end of a load, and an invalidation arrives
 * after the change; the scheduler of fast-check decides the order.
 */
class Model {
  readonly #scheduler: fc.Scheduler;
  readonly #cache: GuardedCache<Version>;
  #version = 0;
  #currentVersion: number | undefined = 0;
  readonly #removals: number[] = [];
  /** The latest change whose invalidation has arrived. Later lookups must not return an older version. */
  #notified = 0;

  constructor(scheduler: fc.Scheduler) {
    this.#scheduler = scheduler;
    this.#cache = new GuardedCache({
      max: 10,
      load: async (key) => {
        await scheduler.schedule(Promise.resolve(), 'load begins');
        const version = this.#currentVersion;
        await scheduler.schedule(Promise.resolve(), 'load ends');
        return version === undefined ? undefined : { key, version };
      },
    });
  }

  async run(step: Step): Promise<void> {
    if (step === 'get') await this.#get();
    else if (step === 'disconnect') await this.#disconnect();
    else if (step === 'change another') this.#cache.invalidateWhere(({ key }) => key === 'another');
    else {
      const version = this.#change(step === 'remove');
      await this.#scheduler.schedule(Promise.resolve(), 'invalidation is sent');
      this.#cache.invalidate('key');
      this.#notified = Math.max(this.#notified, version);
    }
  }

  async checkFinalState(): Promise<void> {
    expect((await this.#cache.get('key'))?.version).toBe(this.#currentVersion);
  }

  async #get(): Promise<void> {
    const minVersion = this.#notified;
    const value = await this.#cache.get('key');
    if (value) expect(value.version).toBeGreaterThanOrEqual(minVersion);
    else expect(this.#removals.some((removal) => removal >= minVersion)).toBe(true);
  }

  #change(remove: boolean): number {
    this.#version += 1;
    this.#currentVersion = remove ? undefined : this.#version;
    if (remove) this.#removals.push(this.#version);
    return this.#version;
  }

  /** Invalidations are lost while disconnected; `trust(true)` invalidates everything. */
  async #disconnect(): Promise<void> {
    this.#cache.trust(false);
    this.#change(false);
    await this.#scheduler.schedule(Promise.resolve(), 'disconnected');
    this.#cache.trust(true);
    this.#notified = this.#version;
  }
}

test('for every order of events a lookup after an invalidation never returns an older value', async () => {
  const step = fc.constantFrom<Step>('get', 'get', 'get', 'change', 'remove', 'change another', 'disconnect');
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 15 }), fc.scheduler(), async (steps, scheduler) => {
      const model = new Model(scheduler);
      const all = steps.map((next) => scheduler.schedule(Promise.resolve(), next).then(() => model.run(next)));
      const done = Promise.all(all).then(() => model.checkFinalState());
      await scheduler.waitFor(done);
    }),
    { numRuns: 2_000 },
  );
});

test('a load gets the source of the lookup', async () => {
  const cache = new GuardedCache<Version, { version: number }>({
    max: 10,
    load: async (key, { version }) => ({ key, version }),
  });
  expect(await cache.get('a', { version: 3 })).toEqual({ key: 'a', version: 3 });
});

test('large values leave room for fewer others', async () => {
  const load = async (key: string) => ({ key, version: Number(key) });
  const cache = new GuardedCache<Version>({ max: 10, load, entrySize: ({ version }) => version });
  for (const key of ['4', '5', '6']) await cache.get(key);
  expect(cache.size).toBe(1);
});
