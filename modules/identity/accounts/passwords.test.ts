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

test('passwords above the concurrency limit are compared in order', async () => {
  const passwords = new Passwords(10, 2);
  const admitted: number[] = [];
  const attempts = Array.from({ length: 6 }, (_, index) =>
    passwords.verify('x', undefined, () => void admitted.push(index)),
  );
  await expect.poll(() => admitted.length, { interval: 1 }).toBeGreaterThan(0);
  expect(admitted).toEqual([0, 1]);
  await Promise.all(attempts);
  expect(admitted).toEqual([0, 1, 2, 3, 4, 5]);
});

test('a comparison that is not admitted does not block the queue', async () => {
  const passwords = new Passwords(4, 1);
  const refuse = () => {
    throw new Error('too many');
  };
  const attempts = Array.from({ length: 5 }, () => passwords.verify('x', undefined, refuse));
  expect((await Promise.allSettled(attempts)).map(({ status }) => status)).toEqual(Array(5).fill('rejected'));
  expect(await passwords.verify('x', await passwords.hash('x'))).toBe(true);
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
