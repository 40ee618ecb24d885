/* Amounts in hundredths, as bigints, so that sums are exact. */

/** Removes thousands separators: `1,20,000` becomes `120000`. A comma that may be a decimal point stays. */
export function plainAmount(text: string): string {
  const typed = text.trim();
  return /^\d{1,3}(,\d{2,3})*,\d{3}(\.\d*)?$/.test(typed) ? typed.replaceAll(',', '') : typed;
}

/** `undefined` if the text is not an amount with at most two decimals. */
export function parseCents(text: string): bigint | undefined {
  const [, whole, decimals = ''] = /^(\d{1,16})(?:\.(\d{1,2}))?$/.exec(plainAmount(text)) ?? [];
  return whole === undefined ? undefined : BigInt(whole + decimals.padEnd(2, '0'));
}

export function formatCents(cents: bigint): string {
  const digits = String(cents).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

interface Paid {
  readonly paid_total: string;
  readonly refunded_total: string;
}

/** What can still be refunded. */
export function remainingAmount({ paid_total, refunded_total }: Paid): string {
  return formatCents((parseCents(paid_total) ?? 0n) - (parseCents(refunded_total) ?? 0n));
}
