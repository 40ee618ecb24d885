import { expect, test } from 'vitest';
import { startAccounts, testPassword } from '../../../server/testing/accounts.ts';
import { getAccounts } from '../accounts/accounts.ts';

let clock = Math.floor(Date.now() / 60_000) * 60_000;
const platform = await startAccounts({
  now: () => new Date(clock),
  environment: { LOGIN_FAILURES_PER_MINUTE: '4', TRUSTED_PROXIES: 'loopback' },
});

const login = (email: string, password: string, from: string) =>
  platform.request({
    method: 'POST',
    url: '/api/v1/auth/login',
    payload: { email, password },
    headers: { 'x-forwarded-for': from },
  });

async function fail(email: string, from: string, times: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let index = 0; index < times; index += 1) statuses.push((await login(email, `wrong ${index}`, from)).status);
  return statuses;
}

test('after a few failures a network must wait, and Retry-After says how long', async () => {
  const asha = await platform.person();
  expect(await fail(asha.email, '203.0.113.1', 5)).toEqual([422, 422, 422, 422, 429]);
  const refused = await login(asha.email, testPassword, '203.0.113.1');
  expect(refused.status).toBe(429);
  const wait = Number(refused.headers['retry-after']);
  expect(wait).toBeGreaterThan(0);
  clock += wait * 1_000;
  expect((await login(asha.email, testPassword, '203.0.113.1')).status).toBe(200);
});

test('successful sign-ins are not limited', async () => {
  const asha = await platform.person();
  for (let index = 0; index < 12; index += 1) {
    expect((await login(asha.email, testPassword, '203.0.113.2')).status).toBe(200);
  }
});

test('concurrent guesses are limited too', async () => {
  const asha = await platform.person();
  const tries = Array.from({ length: 40 }, (_, index) => login(asha.email, `guess ${index}`, '203.0.113.3'));
  const guessed = (await Promise.all(tries)).filter(({ status }) => status === 422).length;
  expect(guessed).toBeLessThanOrEqual(6);
});

test('guesses in progress count, so a network cannot fill the queue with guesses at many accounts', async () => {
  const guess = (index: number) => login(`nobody-${index}@example.com`, 'guess', '203.0.113.9');
  const statuses = (await Promise.all(Array.from({ length: 60 }, (_, index) => guess(index)))).map(
    ({ status }) => status,
  );
  expect(statuses.filter((status) => status === 422)).toHaveLength(40);
  expect(statuses.filter((status) => status === 429)).toHaveLength(20);
});

test('a network that keeps the queue of passwords full does not keep others from signing in', async () => {
  const asha = await platform.person();
  const { passwords } = getAccounts(platform.kernel.services);
  let over = false;
  const flood = async () => {
    while (!over) await passwords.verify('guess', undefined).catch(() => new Promise(setImmediate));
  };
  const floods = Array.from({ length: 120 }, flood);
  const { status } = await login(asha.email, testPassword, '198.51.100.8');
  over = true;
  await Promise.all(floods);
  expect(status).toBe(200);
});

test('guesses from many networks at once do not keep the owner out of a network that is known', async () => {
  const asha = await platform.person();
  expect((await login(asha.email, testPassword, '198.51.100.30')).status).toBe(200);
  const { passwords } = getAccounts(platform.kernel.services);
  let over = false;
  const flood = async (_: unknown, index: number) => {
    const site = `10.1.0.${index}`;
    while (!over) await passwords.verify('guess', undefined, { site }).catch(() => new Promise(setImmediate));
  };
  const floods = Array.from({ length: 130 }, flood);
  const { status } = await login(asha.email, testPassword, '198.51.100.30');
  over = true;
  await Promise.all(floods);
  expect(status).toBe(200);
});

test('guesses at other accounts from the same network do not keep the owner out of it', async () => {
  const asha = await platform.person();
  expect((await login(asha.email, testPassword, '198.51.100.31')).status).toBe(200);
  const guesses = Array.from({ length: 41 }, (_, index) => `nobody-${index}@example.com`);
  for (const email of guesses) await fail(email, '198.51.100.31', 1);
  expect(await fail('somebody@example.com', '198.51.100.31', 1)).toEqual([429]);
  expect((await login(asha.email, testPassword, '198.51.100.31')).status).toBe(200);
  // The owner's own failures are limited too.
  expect(await fail(asha.email, '198.51.100.31', 5)).toEqual([422, 422, 422, 422, 429]);
});

test('the networks of one IPv6 /48 share one limit', async () => {
  const guess = (index: number) => fail(`site-${index}@example.com`, `2001:db8:9:${index.toString(16)}::1`, 1);
  const statuses: number[] = [];
  for (let index = 0; index < 82; index += 1) statuses.push(...(await guess(index)));
  expect(statuses).toEqual([...Array(80).fill(422), 429, 429]);
  expect(await fail('site@example.com', '2001:db8:a:1::1', 1)).toEqual([422]);
});

test('strangers cannot lock the owner out of a network from which the owner has signed in before', async () => {
  const asha = await platform.person();
  expect((await login(asha.email, testPassword, '198.51.100.7')).status).toBe(200);
  for (let host = 1; host <= 10; host += 1) await fail(asha.email, `203.0.113.${host + 20}`, 4);
  // Unknown networks are refused even with the correct password; the known one is not.
  expect((await login(asha.email, testPassword, '192.0.2.1')).status).toBe(429);
  expect((await login(asha.email, testPassword, '198.51.100.7')).status).toBe(200);
  // The same address as a server that listens on IPv6 sees it.
  expect((await login(asha.email, testPassword, '::ffff:198.51.100.7')).status).toBe(200);
  clock += 120_000;
  expect((await login(asha.email, testPassword, '192.0.2.1')).status).toBe(200);
});

test('the addresses of one IPv6 /64 share one limit across accounts', async () => {
  const people = await Promise.all(Array.from({ length: 12 }, () => platform.person()));
  const statuses: number[] = [];
  for (const [index, { email }] of people.entries()) {
    statuses.push(...(await fail(email, `2001:db8:0:1::${index}`, 4)));
  }
  expect(statuses.slice(0, 40)).not.toContain(429);
  expect(statuses.slice(40)).toEqual(Array.from({ length: 8 }, () => 429));
  expect((await fail(people[0]?.email ?? '', '2001:db8:0:2::1', 1))[0]).toBe(422);
});
