import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GuardedCache } from './guarded-cache.ts';

interface Version {
  readonly key: string;
  readonly version: number;
}

/** A cache in front of an authority whose answers the test gives one by one. */
function inFrontOfNothing(max = 10) {
  const asked: { key: string; answer: (value: Version | undefined) => void; refuse: (error: Error) => void }[] = [];
  const load = (key: string) =>
    new Promise<Version | undefined>((answer, refuse) => asked.push({ key, answer, refuse }));
  return { asked, cache: new GuardedCache<Version>({ max, load }) };
}

/** A cache in front of an authority that knows everything but `unknown…` and answers at once. */
function inFrontOfAll(max: number) {
  const asked: string[] = [];
  const load = async (key: string) => {
    asked.push(key);
    return key.startsWith('unknown') ? undefined : { key, version: asked.length };
  };
  return { asked, cache: new GuardedCache<Version>({ max, load }) };
}

test('a loaded value is cached', async () => {
  const { asked, cache } = inFrontOfAll(10);
  const first = await cache.get('a');
  expect(await cache.get('a')).toBe(first);
  expect(asked).toEqual(['a']);
});

test('concurrent gets of one key load it once', async () => {
  const { asked, cache } = inFrontOfNothing();
  const answers = Promise.all([cache.get('a'), cache.get('a'), cache.get('a')]);
  const value = { key: 'a', version: 1 };
  expect(asked).toHaveLength(1);
  asked[0]?.answer(value);
  expect(await answers).toEqual([value, value, value]);
});

test('a get after an invalidation does not share the load from before it', async () => {
  const { asked, cache } = inFrontOfNothing();
  const before = cache.get('a');
  cache.invalidate('a');
  const after = cache.get('a');
  expect(asked).toHaveLength(2);
  asked[1]?.answer({ key: 'a', version: 2 });
  expect(await after).toMatchObject({ version: 2 });
  asked[0]?.answer({ key: 'a', version: 1 });
  expect(await before).toMatchObject({ version: 1 });
  expect(await cache.get('a')).toMatchObject({ version: 2 });
  expect(asked).toHaveLength(2);
});

test('a failed load rejects all callers and is not cached', async () => {
  const { asked, cache } = inFrontOfNothing();
  const answers = [cache.get('a'), cache.get('a')];
  asked[0]?.refuse(new Error('no answer'));
  for (const answer of answers) await expect(answer).rejects.toThrow('no answer');
  const again = cache.get('a');
  asked[1]?.answer({ key: 'a', version: 1 });
  expect(await again).toMatchObject({ version: 1 });
  expect(await cache.get('a')).toMatchObject({ version: 1 });
});

test('a failed load from before an invalidation does not affect the one after it', async () => {
  const { asked, cache } = inFrontOfNothing();
  const before = cache.get('a');
  cache.invalidate('a');
  const after = [cache.get('a'), cache.get('a')];
  asked[0]?.refuse(new Error('no answer'));
  await expect(before).rejects.toThrow('no answer');
  after.push(cache.get('a'));
  asked[1]?.answer({ key: 'a', version: 2 });
  expect(await Promise.all(after)).toMatchObject([{ version: 2 }, { version: 2 }, { version: 2 }]);
  expect(asked).toHaveLength(2);
});

test('a miss is cached until it is invalidated', async () => {
  const { asked, cache } = inFrontOfAll(10);
  expect(await cache.get('unknown')).toBeUndefined();
  expect(await cache.get('unknown')).toBeUndefined();
  expect(asked).toEqual(['unknown']);
  cache.invalidate('unknown');
  await cache.get('unknown');
  cache.invalidateWhere(() => false);
  await cache.get('unknown');
  expect(asked).toHaveLength(3);
});

test('a flood of unknown keys does not evict hits and is bounded', async () => {
  const { asked, cache } = inFrontOfAll(50);
  for (let index = 0; index < 50; index += 1) await cache.get(`known ${index}`);
  for (let index = 0; index < 5_000; index += 1) await cache.get(`unknown ${index}`);
  expect(cache.size).toBe(50);
  asked.length = 0;
  for (let index = 0; index < 50; index += 1) await cache.get(`known ${index}`);
  expect(asked).toEqual([]);
  for (let index = 0; index < 5_000; index += 1) await cache.get(`unknown ${index}`);
  expect(asked.length).toBeGreaterThan(4_800);
});

test('the size is limited', async () => {
  const { cache } = inFrontOfAll(20);
  for (let index = 0; index < 1_000; index += 1) await cache.get(`key ${index}`);
  expect(cache.size).toBe(20);
});

test('invalidateWhere removes matching values only', async () => {
  const { asked, cache } = inFrontOfAll(10);
  await cache.get('a');
  await cache.get('b');
  cache.invalidateWhere(({ key }) => key === 'a');
  await cache.get('a');
  await cache.get('b');
  expect(asked).toEqual(['a', 'b', 'a']);
});

test('without trust every get loads, and nothing is cached', async () => {
  const { asked, cache } = inFrontOfNothing();
  const before = cache.get('a');
  cache.trust(false);
  asked[0]?.answer({ key: 'a', version: 1 });
  await before;
  const concurrent = [cache.get('a'), cache.get('a')];
  expect(asked).toHaveLength(3);
  cache.trust(true);
  for (const { answer } of asked) answer({ key: 'a', version: 2 });
  await Promise.all(concurrent);
  expect(cache.size).toBe(0);
  const after = cache.get('a');
  expect(asked).toHaveLength(4);
  asked[3]?.answer({ key: 'a', version: 3 });
  expect(await after).toMatchObject({ version: 3 });
  expect(await cache.get('a')).toMatchObject({ version: 3 });
});

type Act = 'get' | 'change' | 'remove' | 'change another' | 'lose the connection';

/**
 * A source of values and its cache. The scheduler of fast-check decides when a load reads the source, when it returns, and
 * when a change is notified.
 */
class Simulation {
  readonly #scheduler: fc.Scheduler;
  readonly #cache: GuardedCache<Version>;
  #version = 0;
  #current: number | undefined = 0;
  readonly #removals: number[] = [];
  /** The latest notified change: later gets must not return an older version. */
  #notified = 0;

  constructor(scheduler: fc.Scheduler) {
    this.#scheduler = scheduler;
    this.#cache = new GuardedCache({
      max: 10,
      load: async (key) => {
        await scheduler.schedule(Promise.resolve(), 'the load starts');
        const version = this.#current;
        await scheduler.schedule(Promise.resolve(), 'the load returns');
        return version === undefined ? undefined : { key, version };
      },
    });
  }

  async act(act: Act): Promise<void> {
    if (act === 'get') await this.#get();
    else if (act === 'lose the connection') await this.#loseConnection();
    else if (act === 'change another') this.#cache.invalidateWhere(({ key }) => key === 'another');
    else {
      const version = this.#change(act === 'remove');
      await this.#scheduler.schedule(Promise.resolve(), 'the change is notified');
      this.#cache.invalidate('key');
      this.#notified = Math.max(this.#notified, version);
    }
  }

  async checkFinalValue(): Promise<void> {
    expect((await this.#cache.get('key'))?.version).toBe(this.#current);
  }

  async #get(): Promise<void> {
    const oldest = this.#notified;
    const value = await this.#cache.get('key');
    if (value) expect(value.version).toBeGreaterThanOrEqual(oldest);
    else expect(this.#removals.some((removal) => removal >= oldest)).toBe(true);
  }

  #change(remove: boolean): number {
    this.#version += 1;
    this.#current = remove ? undefined : this.#version;
    if (remove) this.#removals.push(this.#version);
    return this.#version;
  }

  /** Changes without a connection are not notified; the reconnection stands for all of them. */
  async #loseConnection(): Promise<void> {
    this.#cache.trust(false);
    this.#change(false);
    await this.#scheduler.schedule(Promise.resolve(), 'the connection is down');
    this.#cache.trust(true);
    this.#notified = this.#version;
  }
}

test('in every order of events, a get after an invalidation never returns the value from before it', async () => {
  const act = fc.constantFrom<Act>('get', 'get', 'get', 'change', 'remove', 'change another', 'lose the connection');
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 2, maxLength: 15 }), fc.scheduler(), async (acts, scheduler) => {
      const world = new Simulation(scheduler);
      const all = acts.map((one) => scheduler.schedule(Promise.resolve(), one).then(() => world.act(one)));
      const done = Promise.all(all).then(() => world.checkFinalValue());
      await scheduler.waitFor(done);
    }),
    { numRuns: 2_000 },
  );
});
