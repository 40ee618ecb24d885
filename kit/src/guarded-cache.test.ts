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

test('what was found is found again without asking', async () => {
  const { asked, cache } = inFrontOfAll(10);
  const first = await cache.get('a');
  expect(await cache.get('a')).toBe(first);
  expect(asked).toEqual(['a']);
});

test('many who ask for the same at once cause one question', async () => {
  const { asked, cache } = inFrontOfNothing();
  const answers = Promise.all([cache.get('a'), cache.get('a'), cache.get('a')]);
  const value = { key: 'a', version: 1 };
  expect(asked).toHaveLength(1);
  asked[0]?.answer(value);
  expect(await answers).toEqual([value, value, value]);
});

test('who asks after the invalidation does not share the question that was asked before it', async () => {
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

test('a failure is told to all who shared the question and is not kept', async () => {
  const { asked, cache } = inFrontOfNothing();
  const answers = [cache.get('a'), cache.get('a')];
  asked[0]?.refuse(new Error('no answer'));
  for (const answer of answers) await expect(answer).rejects.toThrow('no answer');
  const again = cache.get('a');
  asked[1]?.answer({ key: 'a', version: 1 });
  expect(await again).toMatchObject({ version: 1 });
  expect(await cache.get('a')).toMatchObject({ version: 1 });
});

test('a failure of a question from before an invalidation does not spoil the one after it', async () => {
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

test('what does not exist is remembered until it is invalidated', async () => {
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

test('a flood of unknown keys pushes nothing known out and is itself bounded', async () => {
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

test('no more is kept than fits', async () => {
  const { cache } = inFrontOfAll(20);
  for (let index = 0; index < 1_000; index += 1) await cache.get(`key ${index}`);
  expect(cache.size).toBe(20);
});

test('what matches is invalidated, the rest stays', async () => {
  const { asked, cache } = inFrontOfAll(10);
  await cache.get('a');
  await cache.get('b');
  cache.invalidateWhere(({ key }) => key === 'a');
  await cache.get('a');
  await cache.get('b');
  expect(asked).toEqual(['a', 'b', 'a']);
});

test('while changes go unheard everything is asked, and what was asked then is not kept', async () => {
  const { asked, cache } = inFrontOfNothing();
  const before = cache.get('a');
  cache.trust(false);
  asked[0]?.answer({ key: 'a', version: 1 });
  await before;
  const meanwhile = [cache.get('a'), cache.get('a')];
  expect(asked).toHaveLength(3);
  cache.trust(true);
  for (const { answer } of asked) answer({ key: 'a', version: 2 });
  await Promise.all(meanwhile);
  expect(cache.size).toBe(0);
  const after = cache.get('a');
  expect(asked).toHaveLength(4);
  asked[3]?.answer({ key: 'a', version: 3 });
  expect(await after).toMatchObject({ version: 3 });
  expect(await cache.get('a')).toMatchObject({ version: 3 });
});

type Act = 'get' | 'change' | 'remove' | 'change another' | 'lose the line';

/**
 * The world around a cache. The authority is read somewhere between question and answer, and a change is heard some
 * time after it was made; the scheduler of fast-check decides when each of these happens.
 */
class World {
  readonly #scheduler: fc.Scheduler;
  readonly #cache: GuardedCache<Version>;
  #version = 0;
  #inForce: number | undefined = 0;
  readonly #removals: number[] = [];
  /** The latest change that was onNotify: nothing older may be given to who asks from now on. */
  #heard = 0;

  constructor(scheduler: fc.Scheduler) {
    this.#scheduler = scheduler;
    this.#cache = new GuardedCache({
      max: 10,
      load: async (key) => {
        await scheduler.schedule(Promise.resolve(), 'the question travels');
        const version = this.#inForce;
        await scheduler.schedule(Promise.resolve(), 'the answer travels');
        return version === undefined ? undefined : { key, version };
      },
    });
  }

  async act(act: Act): Promise<void> {
    if (act === 'get') await this.#get();
    else if (act === 'lose the line') await this.#loseTheLine();
    else if (act === 'change another') this.#cache.invalidateWhere(({ key }) => key === 'another');
    else {
      const version = this.#change(act === 'remove');
      await this.#scheduler.schedule(Promise.resolve(), 'the change travels');
      this.#cache.invalidate('key');
      this.#heard = Math.max(this.#heard, version);
    }
  }

  async checkTheEnd(): Promise<void> {
    expect((await this.#cache.get('key'))?.version).toBe(this.#inForce);
  }

  async #get(): Promise<void> {
    const oldest = this.#heard;
    const value = await this.#cache.get('key');
    if (value) expect(value.version).toBeGreaterThanOrEqual(oldest);
    else expect(this.#removals.some((removal) => removal >= oldest)).toBe(true);
  }

  #change(remove: boolean): number {
    this.#version += 1;
    this.#inForce = remove ? undefined : this.#version;
    if (remove) this.#removals.push(this.#version);
    return this.#version;
  }

  /** What is changed while the line is down is never heard of; that it is up again stands for all of it. */
  async #loseTheLine(): Promise<void> {
    this.#cache.trust(false);
    this.#change(false);
    await this.#scheduler.schedule(Promise.resolve(), 'the line is down');
    this.#cache.trust(true);
    this.#heard = this.#version;
  }
}

test('under every order of events nobody who asks after a change was heard gets what was before it', async () => {
  const act = fc.constantFrom<Act>('get', 'get', 'get', 'change', 'remove', 'change another', 'lose the line');
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 2, maxLength: 15 }), fc.scheduler(), async (acts, scheduler) => {
      const world = new World(scheduler);
      const all = acts.map((one) => scheduler.schedule(Promise.resolve(), one).then(() => world.act(one)));
      const done = Promise.all(all).then(() => world.checkTheEnd());
      await scheduler.waitFor(done);
    }),
    { numRuns: 2_000 },
  );
});
