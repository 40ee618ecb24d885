/* Amounts in hundredths, as bigints, so that sums are exact. */

/** `undefined` if the text is not an amount with at most two decimals. */
export function centsOf(text: string): bigint | undefined {
  const [, whole, decimals = ''] = /^(\d{1,16})(?:\.(\d{1,2}))?$/.exec(text.trim()) ?? [];
  return whole === undefined ? undefined : BigInt(whole + decimals.padEnd(2, '0'));
}

export function amountOf(cents: bigint): string {
  const digits = String(cents).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

interface Charged {
  readonly total: string;
  readonly refunded_total: string;
}

/** What can still be refunded. */
export function remainingOf({ total, refunded_total }: Charged): string {
  return amountOf((centsOf(total) ?? 0n) - (centsOf(refunded_total) ?? 0n));
}

export function sumOf(amounts: readonly string[]): string {
  return amountOf(amounts.reduce((sum, amount) => sum + (centsOf(amount) ?? 0n), 0n));
}
