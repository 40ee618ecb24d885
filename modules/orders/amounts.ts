import { fromCents, toCents } from '@chowk/kit';

/** Amounts of an order in the minor units of its currency. */
export interface Sums {
  readonly subtotal: bigint;
  readonly discount: bigint;
  readonly shipping: bigint;
  /** Only what is added to the prices. */
  readonly tax: bigint;
}

export function addUp({ subtotal, discount, shipping, tax }: Sums): bigint {
  return subtotal - discount + shipping + tax;
}

/** Quantity times price, rounded to the decimals of the currency. A price has at most three. */
export function multiply(price: string, quantity: number, currency: string): bigint {
  return toCents(fromCents(toCents(price, 'KWD') * BigInt(quantity), 'KWD'), currency);
}

export const maxTotal = '9999999999.99';

/** In thousandths the amounts of all currencies are exact. */
export const toThousandths = (money: string) => toCents(money, 'KWD');
export const fromThousandths = (thousandths: bigint) => fromCents(thousandths, 'KWD');

export const smaller = (one: bigint, other: bigint) => (one < other ? one : other);

/** With the decimals of its currency: `INR 199.65`, `JPY 500`, `KWD 1.250`. */
export function formatMoney(amount: string, currency: string): string {
  const style = { style: 'currency', currency, currencyDisplay: 'code', useGrouping: false } as const;
  const text = new Intl.NumberFormat('en', style).format(amount as Intl.StringNumericLiteral);
  // A narrow or non-breaking space.
  return text.replace(/\s/g, ' ');
}
