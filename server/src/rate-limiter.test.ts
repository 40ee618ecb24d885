import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { RateLimiter, type WindowCount } from './rate-limiter.ts';

const minute = 60_000;
/** Creating one allocates much memory, so all tests share it and use their own keys. */
const limiter = new RateLimiter();
let lastKey = 0;
/** The beginning of a window. */
const start = 30_000_000 * minute;

/** Milliseconds between the requests of one caller. */
const pauses = fc.array(fc.oneof(fc.constant(0), fc.nat(500), fc.nat(20_000), fc.nat(3 * minute)), { maxLength: 200 });
const limits = fc.integer({ min: 1, max: 20 });

test('no window allows more requests than the limit', () => {
  fc.assert(
    fc.property(limits, pauses, (limit, gaps) => {
      const key = newKey();
      const perWindow = new Map<number, number>();
      let now = start;
      for (const gap of gaps) {
        now += gap;
        if (!limiter.take(key, limit, now).allowed) continue;
        const window = Math.floor(now / minute);
        perWindow.set(window, (perWindow.get(window) ?? 0) + 1);
      }
      for (const count of perWindow.values()) expect(count).toBeLessThanOrEqual(limit);
    }),
  );
});

test('amounts are counted in sum, and one that is refused is allowed after the announced seconds', () => {
  const amounts = fc.array(fc.record({ amount: fc.integer({ min: 1, max: 20 }), gap: fc.nat(30_000) }));
  fc.assert(
    fc.property(amounts, (calls) => {
      const key = newKey();
      const perWindow = new Map<number, number>();
      let now = start;
      for (const { amount, gap } of calls) {
        now += gap;
        const { allowed, seconds } = limiter.take(key, 20, now, amount);
        if (!allowed) {
          now += seconds * 1_000;
          expect(limiter.take(key, 20, now, amount).allowed).toBe(true);
        }
        const window = Math.floor(now / minute);
        perWindow.set(window, (perWindow.get(window) ?? 0) + amount);
      }
      for (const sum of perWindow.values()) expect(sum).toBeLessThanOrEqual(20);
    }),
  );
});

test('a burst at the end of a window prevents a burst at the beginning of the next', () => {
  const key = newKey();
  const burst = (now: number) =>
    Array.from({ length: 20 }, () => limiter.take(key, 10, now).allowed).filter(Boolean).length;
  expect(burst(start + minute - 1)).toBe(10);
  expect(burst(start + minute)).toBe(0);
  expect(burst(start + minute + minute / 2)).toBe(5);
});

test('a refused caller is allowed after the announced seconds, and not a second earlier', () => {
  fc.assert(
    fc.property(limits, pauses, (limit, gaps) => {
      const key = newKey();
      let now = start;
      for (const gap of gaps) {
        now += gap;
        const { allowed, seconds } = limiter.take(key, limit, now);
        if (allowed) continue;
        expect(seconds).toBeGreaterThan(0);
        const early = Math.max(now, now + seconds * 1_000 - 1_001);
        expect(limiter.take(key, limit, early).allowed).toBe(false);
        now += seconds * 1_000;
        expect(limiter.take(key, limit, now).allowed).toBe(true);
      }
    }),
  );
});

test('the remaining number decreases with each request and is zero for a refused one', () => {
  const key = newKey();
  const states = Array.from({ length: 5 }, () => limiter.take(key, 3, start + 20_000));
  expect(states.map(({ remaining }) => remaining)).toEqual([2, 1, 0, 0, 0]);
  expect(states.map(({ allowed }) => allowed)).toEqual([true, true, true, false, false]);
  expect(states[0]?.seconds).toBe(40);
});

test('a caller within the remaining number is never refused', () => {
  fc.assert(
    fc.property(limits, pauses, (limit, gaps) => {
      const key = newKey();
      let now = start;
      let last = { remaining: limit, window: 0 };
      for (const gap of gaps) {
        now += gap;
        const window = Math.floor(now / minute);
        const { allowed, remaining } = limiter.take(key, limit, now);
        if (window === last.window && last.remaining > 0) expect(allowed).toBe(true);
        last = { remaining, window };
      }
    }),
  );
});

test('keys are counted separately', () => {
  const calls = fc.array(fc.record({ name: fc.constantFrom('a', 'b', 'c'), gap: fc.nat(20_000) }));
  fc.assert(
    fc.property(limits, calls, (limit, mixed) => {
      const [together, alone] = [newKey(), newKey()];
      let now = start;
      const states = mixed.map(({ name, gap }) => {
        now += gap;
        return { name, now, state: limiter.take(together + name, limit, now) };
      });
      for (const { name, now, state } of states.toSorted((one, other) => one.name.localeCompare(other.name))) {
        expect(limiter.take(alone + name, limit, now)).toEqual(state);
      }
    }),
  );
});

test('reading the state counts nothing and agrees with the next request, also in the next window', () => {
  fc.assert(
    fc.property(limits, pauses, (limit, gaps) => {
      const key = newKey();
      let now = start;
      for (const gap of gaps) {
        now += gap;
        const state = limiter.peek(key, limit, now);
        expect(limiter.peek(key, limit, now)).toEqual(state);
        expect(limiter.take(key, limit, now)).toEqual(state);
      }
    }),
  );
  const key = newKey();
  for (let count = 0; count < 10; count += 1) limiter.take(key, 10, start + minute - 1);
  expect(limiter.peek(key, 10, start + minute).allowed).toBe(false);
});

test('two minutes without requests reset the count', () => {
  const key = newKey();
  for (let count = 0; count < 10; count += 1) limiter.take(key, 3, start);
  expect(limiter.take(key, 3, start + 2 * minute)).toMatchObject({ allowed: true, remaining: 2 });
});

function newKey(): string {
  lastKey += 1;
  return `key ${lastKey} `;
}

test('counts that cannot be synchronized are bounded, and sent in batches once the store is back', async () => {
  const batches: number[] = [];
  const store = {
    isAvailable: false,
    add: async (counts: readonly WindowCount[]) => {
      batches.push(counts.length);
      return counts.map(({ count }) => ({ count, previous: 0 }));
    },
  };
  const limiter = new RateLimiter(store);
  onTestFinished(() => limiter.close());
  for (let n = 0; n < 100_500; n += 1) limiter.take(`key ${n}`, 10, 0);
  await limiter.sync();
  expect(batches).toEqual([]);
  store.isAvailable = true;
  for (let times = 0; times < 110; times += 1) await limiter.sync();
  expect(batches).toEqual(Array(100).fill(1_000));
});
