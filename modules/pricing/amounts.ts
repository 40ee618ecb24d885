/* Exact arithmetic on amounts in minor units. */

/** A decimal number as an integer: `parseDecimal('12.5', 4)` is 125000n. */
export function parseDecimal(text: string, places: number): bigint {
  const [whole = '', digits = ''] = text.split('.');
  return BigInt(whole + digits.padEnd(places, '0'));
}

/** A quotient of numbers that are not negative, rounded to the nearest integer, halves up. */
export function divideHalfUp(dividend: bigint, divisor: bigint): bigint {
  return (2n * dividend + divisor) / (2n * divisor);
}

/** Percentages have at most four decimals. */
export const hundredPercent = 1_000_000n;
export const parsePercent = (percent: string) => parseDecimal(percent, 4);

export const sum = (amounts: Iterable<bigint>) => Iterator.from(amounts).reduce((total, amount) => total + amount, 0n);

export const smaller = (a: bigint, b: bigint) => (a < b ? a : b);

export interface Share {
  readonly weight: bigint;
  /** Decides between shares with the same remainder, so that their order does not matter. */
  readonly key: string;
}

/**
 * Divides an amount in proportion to the weights, by the method of the largest remainder: the parts add up to the amount. No part
 * exceeds its weight if the amount does not exceed their sum.
 */
export function allocate(amount: bigint, shares: readonly Share[]): bigint[] {
  const whole = sum(shares.map(({ weight }) => weight));
  if (whole === 0n) return shares.map(() => 0n);
  const parts = shares.map(({ weight, key }, index) => {
    const product = amount * weight;
    return { index, key, weight, part: product / whole, remainder: product % whole };
  });
  let rest = amount - sum(parts.map(({ part }) => part));
  const byRemainder = parts.toSorted(
    (a, b) =>
      compare(b.remainder, a.remainder) || compare(b.weight, a.weight) || compare(a.key, b.key) || a.index - b.index,
  );
  for (const share of byRemainder) {
    if (rest === 0n) break;
    share.part += 1n;
    rest -= 1n;
  }
  return parts.map(({ part }) => part);
}

function compare<Value extends bigint | string>(a: Value, b: Value): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
