/* Amounts in thousandths, as bigints, so that sums are exact. */

/** Removes thousands separators: `1,20,000` becomes `120000`. A comma that may be a decimal point stays. */
export function plainAmount(text: string): string {
  const typed = text.trim();
  return /^\d{1,3}(,\d{2,3})*,\d{3}(\.\d*)?$/.test(typed) ? typed.replaceAll(',', '') : typed;
}

/** In which the amounts of all currencies are exact; `undefined` if the text is not an amount. */
export function toThousandths(text: string): bigint | undefined {
  const [, whole, decimals = ''] = /^(\d{1,16})(?:\.(\d{1,3}))?$/.exec(plainAmount(text)) ?? [];
  return whole === undefined ? undefined : BigInt(whole + decimals.padEnd(3, '0'));
}

/** As the platform writes amounts: with two decimals, or three in a currency that has three; in an unknown currency as many as needed. */
export function fromThousandths(thousandths: bigint, currency: string | undefined): string {
  const digits = String(thousandths).padStart(4, '0');
  const text = `${digits.slice(0, -3)}.${digits.slice(-3)}`;
  const hasThree = currency === undefined ? !text.endsWith('0') : currencyDecimals(currency) > 2;
  return hasThree ? text : text.slice(0, -1);
}

/** For a field: `500` yen, `1.250` dinars. */
export function typedAmount(amount: string, currency: string | undefined): string {
  const [whole = '', digits = ''] = amount.split('.');
  const decimals = currency === undefined ? 2 : currencyDecimals(currency);
  if (toThousandths(amount) === undefined || /[1-9]/.test(digits.slice(decimals))) return amount;
  return decimals === 0 ? whole : `${whole}.${digits.padEnd(decimals, '0').slice(0, decimals)}`;
}

/** Whether there is no fraction of the smallest unit of the currency. */
export function isPayable(thousandths: bigint, currency: string): boolean {
  return thousandths % 10n ** BigInt(3 - currencyDecimals(currency)) === 0n;
}

export function currencyDecimals(currency: string): number {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
}

export function isPositive(amount: string): boolean {
  return (toThousandths(amount) ?? 0n) > 0n;
}

interface Paid {
  readonly paid_total: string;
  readonly refunded_total: string;
  readonly currency: string;
}

/** What can still be refunded. */
export function remainingAmount({ paid_total, refunded_total, currency }: Paid): string {
  return fromThousandths((toThousandths(paid_total) ?? 0n) - (toThousandths(refunded_total) ?? 0n), currency);
}
