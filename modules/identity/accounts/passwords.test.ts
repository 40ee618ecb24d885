import { expect, test } from 'vitest';
import { Passwords } from './passwords.ts';

test('a password is stored as a bcrypt hash of the configured cost', async () => {
  const passwords = new Passwords(5);
  const hash = await passwords.hash('correct horse');
  expect(hash).toMatch(/^\$2[aby]\$05\$/);
  expect(await passwords.verify('correct horse', hash)).toBe(true);
  expect(await passwords.verify('correct Horse', hash)).toBe(false);
});

test('without a hash no password matches', async () => {
  const passwords = new Passwords(4);
  expect(await passwords.verify('no account has this password', undefined)).toBe(false);
  expect(await passwords.verify('no account has this password', null)).toBe(false);
});

/** Compares passwords, one at a time, and records the order in which the comparisons end. */
function sequence(passwords: Passwords) {
  const ended: string[] = [];
  const compare = (site: string, times = 1, isKnown = false) =>
    Array.from({ length: times }, () =>
      passwords.verify('x', undefined, { site, isKnown }).then(() => void ended.push(site)),
    );
  return { ended, compare };
}

test('networks take turns: one with many guesses does not keep another waiting', async () => {
  const passwords = new Passwords(4, 1);
  await passwords.verify('x', undefined);
  const { ended, compare } = sequence(passwords);
  const attempts = [...compare('attacker', 60), ...compare('asha'), ...compare('ravi', 2)];
  await Promise.all(attempts);
  // The first comparison was running when the others arrived.
  expect(ended.slice(0, 6)).toEqual(['attacker', 'attacker', 'asha', 'ravi', 'attacker', 'ravi']);
  expect(ended).toHaveLength(63);
});

test('a full queue refuses the network with the most guesses, not the newcomer', async () => {
  const passwords = new Passwords(4, 1);
  await passwords.verify('x', undefined);
  const { compare } = sequence(passwords);
  const flood = Promise.allSettled(compare('attacker', 120));
  await Promise.all(compare('asha', 3));
  const refused = (await flood).filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(22);
  expect(refused[0]).toMatchObject({ reason: { code: 'auth.busy', status: 503 } });
});

test('a queue that is full of different networks refuses further ones and goes on', async () => {
  const passwords = new Passwords(4, 1);
  await passwords.verify('x', undefined);
  const { compare } = sequence(passwords);
  const all = await Promise.allSettled(Array.from({ length: 105 }, (_, index) => compare(`network ${index}`)).flat());
  expect(all.filter(({ status }) => status === 'rejected')).toHaveLength(4);
  expect(await passwords.verify('x', await passwords.hash('x'))).toBe(true);
});

test('a queue that is full of different networks does not keep known callers waiting', async () => {
  const passwords = new Passwords(4, 1);
  await passwords.verify('x', undefined);
  const { ended, compare } = sequence(passwords);
  const flood = Promise.allSettled(Array.from({ length: 130 }, (_, index) => compare(`network ${index}`)).flat());
  const known = compare('asha', 2, true);
  await Promise.all(known);
  // They alternate with the others, which go on.
  expect(ended.length).toBeLessThanOrEqual(5);
  expect((await flood).filter(({ status }) => status === 'fulfilled')).toHaveLength(101);
});

test('requests beyond the maximum queue length are refused, and the others are served', async () => {
  const passwords = new Passwords(4, 1);
  const attempts = await Promise.allSettled(Array.from({ length: 150 }, () => passwords.verify('x', undefined)));
  const refused = attempts.filter(({ status }) => status === 'rejected');
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.length).toBeLessThan(50);
  expect(refused[0]).toMatchObject({ reason: { code: 'auth.busy', status: 503 } });
});

test('a burst of sign-ins does not block the event loop', async () => {
  const passwords = new Passwords(11, 1);
  const hash = await passwords.hash('x');
  let turns = 0;
  let over = false;
  const burst = Promise.all(Array.from({ length: 8 }, () => passwords.verify('y', hash))).finally(() => {
    over = true;
  });
  for (; !over; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  await burst;
  // A comparison on the event loop would delay the timer.
  expect(turns).toBeGreaterThan(500);
});
