import { expect, test } from 'vitest';
import { BcryptPasswords } from './passwords.ts';

test('a password is kept as a bcrypt hash of the cost that was asked for', async () => {
  const passwords = new BcryptPasswords(5);
  const hash = await passwords.hash('correct horse');
  expect(hash).toMatch(/^\$2[aby]\$05\$/);
  expect(await passwords.verify('correct horse', hash)).toBe(true);
  expect(await passwords.verify('correct Horse', hash)).toBe(false);
});

test('for nobody no password fits', async () => {
  const passwords = new BcryptPasswords(4);
  expect(await passwords.verify('nobody has this password', undefined)).toBe(false);
  expect(await passwords.verify('nobody has this password', null)).toBe(false);
});

test('so many are compared at once and no more, the others in turn', async () => {
  const passwords = new BcryptPasswords(10, 2);
  const admitted: number[] = [];
  const tries = Array.from({ length: 6 }, (_, index) =>
    passwords.verify('x', undefined, () => void admitted.push(index)),
  );
  await expect.poll(() => admitted.length, { interval: 1 }).toBeGreaterThan(0);
  expect(admitted).toEqual([0, 1]);
  await Promise.all(tries);
  expect(admitted).toEqual([0, 1, 2, 3, 4, 5]);
});

test('who is refused at its turn leaves it to the next', async () => {
  const passwords = new BcryptPasswords(4, 1);
  const refuse = () => {
    throw new Error('too many');
  };
  const tries = Array.from({ length: 5 }, () => passwords.verify('x', undefined, refuse));
  expect((await Promise.allSettled(tries)).map(({ status }) => status)).toEqual(Array(5).fill('rejected'));
  expect(await passwords.verify('x', await passwords.hash('x'))).toBe(true);
});

test('a line that is too long is refused at its end, and the others are served', async () => {
  const passwords = new BcryptPasswords(4, 1);
  const tries = await Promise.allSettled(Array.from({ length: 150 }, () => passwords.verify('x', undefined)));
  const refused = tries.filter(({ status }) => status === 'rejected');
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.length).toBeLessThan(50);
  expect(refused[0]).toMatchObject({ reason: { code: 'auth.busy', status: 503 } });
});

test('a storm holds up nothing else', async () => {
  const passwords = new BcryptPasswords(11, 1);
  const hash = await passwords.hash('x');
  let turns = 0;
  let over = false;
  const storm = Promise.all(Array.from({ length: 8 }, () => passwords.verify('y', hash))).finally(() => {
    over = true;
  });
  for (; !over; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  await storm;
  // On the event loop each of them would be a turn or two, and nothing in between.
  expect(turns).toBeGreaterThan(500);
});
