import type { Random } from '@chowk/kit';

/** The largest prime below each power of ten. */
const primes = [7, 97, 997, 9_973, 99_991, 999_983, 9_999_991, 99_999_989, 999_999_937];

/**
 * Numbers with at most so many digits, each of them once, that look as if they were drawn: multiples of something modulo
 * a prime.
 */
export function scattered(random: Random, digits: number): (n: number) => string {
  const prime = primes[digits - 1] ?? 7;
  const [step, start] = [1 + Math.floor(random() * (prime - 1)), Math.floor(random() * prime)];
  return (n) => String((n * step + start) % prime).padStart(digits, '0');
}

/** How many digits it takes that few of the numbers are used. */
export function digitsFor(count: number): number {
  return Math.max(3, String(count).length + 1);
}

/** The letters of a name that may stand in an email. */
export function mailbox(name: string): string {
  const plain = name.replaceAll('ß', 'ss').replaceAll('ł', 'l').replaceAll('Ł', 'l').normalize('NFD');
  return plain.toLowerCase().replace(/[^a-z]/g, '');
}
