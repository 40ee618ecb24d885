import { Money, Type } from './schema.ts';

export { Money };

const rules = {
  money: true,
  description:
    'An amount from 0 to 9999999999.999, as a string or a number, with at most the decimals of its currency.',
  examples: ['199.65'],
};

/** An amount in an input: the action gets a string with two decimals, or three if the third is not 0. `Issues.checkDecimals` checks its currency. */
export const MoneyInput = Type.Unsafe<string>({ type: ['string', 'number'], ...rules });
export const NullableMoneyInput = Type.Unsafe<string | null>({ type: ['string', 'number', 'null'], ...rules });

const maxDecimals = 3;

/** The code of a currency in an input. */
export const Currency = Type.String({ format: 'currency', description: 'ISO 4217 code.', examples: ['INR'] });

const amount = /^(\d{1,10})(?:\.(\d{1,3}))?$/;

/** The amount with two decimals, or three if the third is not 0; `undefined` if it is invalid. */
export function toMoney(input: string | number): string | undefined {
  const [, whole, digits = ''] = amount.exec(String(input).trim()) ?? [];
  if (whole === undefined) return undefined;
  return join(String(Number(whole)), digits);
}

/** With two decimals, or three if the third is not 0. */
function join(whole: string, decimals: string): string {
  return `${whole}.${decimals.replace(/(?<=\d\d)0$/, '').padEnd(2, '0')}`;
}

/**
 * An amount in hundredths or in the minor units of a currency, such as fils for KWD; sums of bigints are exact. Further
 * decimals are rounded, halves up.
 */
export function toCents(money: string, currency?: string): bigint {
  const [whole = '', digits = ''] = money.split('.');
  const decimals = countDecimals(currency);
  const units = BigInt(whole + digits.slice(0, decimals).padEnd(decimals, '0'));
  return digits.charAt(decimals) >= '5' ? units + 1n : units;
}

/** The opposite of `toCents`, with two decimals at least. */
export function fromCents(cents: bigint, currency?: string): string {
  const decimals = countDecimals(currency);
  const digits = String(cents).padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  return join(digits.slice(0, point), digits.slice(point));
}

/** What is wrong with an amount that has more decimals than its currency. */
export function decimalsProblem(money: string, currency: string): string | undefined {
  const decimals = countDecimals(currency);
  const [, digits = ''] = money.split('.');
  if (!/[1-9]/.test(digits.slice(decimals))) return undefined;
  return `An amount in ${currency} has ${decimals === 0 ? 'no' : `at most ${decimals}`} decimals.`;
}

const known = new Map<string, number>();

/** 0 for JPY, 3 for KWD, 2 for most others. */
function countDecimals(currency: string | undefined): number {
  if (currency === undefined) return 2;
  const decimals = known.get(currency) ?? readDecimals(currency);
  known.set(currency, decimals);
  return decimals;
}

function readDecimals(currency: string): number {
  const { maximumFractionDigits = 2 } = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions();
  return Math.min(maximumFractionDigits, maxDecimals);
}
