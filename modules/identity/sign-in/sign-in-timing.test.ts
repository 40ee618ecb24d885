import { expect, test } from 'vitest';
import { startAccounts } from '../../../server/testing/accounts.ts';

// High enough to dominate the time of a sign-in.
const platform = await startAccounts({ environment: { LOGIN_FAILURES_PER_MINUTE: '10000', BCRYPT_COST: '8' } });
const pairs = 60;

async function timed(email: string): Promise<number> {
  const began = performance.now();
  const payload = { email, password: 'not the password' };
  const { status } = await platform.request({ method: 'POST', url: '/api/v1/auth/login', payload });
  expect(status).toBe(422);
  return performance.now() - began;
}

/** The difference of the ranks of two samples, in standard deviations (Mann-Whitney U test). */
function separation(one: readonly number[], other: readonly number[]): number {
  const wins = one.flatMap((a) => other.map((b) => (a > b ? 1 : a === b ? 0.5 : 0)));
  const sum = wins.reduce((total: number, win) => total + win, 0);
  const [n, m] = [one.length, other.length];
  return (sum - (n * m) / 2) / Math.sqrt((n * m * (n + m + 1)) / 12);
}

test('the time of a refusal does not reveal whether an account exists', async () => {
  const people = await Promise.all(Array.from({ length: pairs }, () => platform.person()));
  const [known, unknown]: [number[], number[]] = [[], []];
  await timed('warm@example.com');
  for (const [index, { email }] of people.entries()) {
    // Alternating, so that other load on the machine affects both.
    const first = index % 2 === 0;
    if (first) known.push(await timed(email));
    unknown.push(await timed(`nobody${index}@example.com`));
    if (!first) known.push(await timed(email));
  }
  // By chance, one run in 30,000 exceeds this.
  expect(Math.abs(separation(known, unknown))).toBeLessThan(4.2);
});

test('the measurement detects a refusal without a comparison', () => {
  const slow = Array.from({ length: pairs }, (_, index) => 20 + (index % 7));
  const quick = Array.from({ length: pairs }, (_, index) => 18 + (index % 7));
  expect(Math.abs(separation(slow, quick))).toBeGreaterThan(4.2);
  expect(Math.abs(separation(slow, slow))).toBe(0);
});
