import { type FieldErrors, toMoney } from '@chowk/kit';

/** More than a column holds. */
const largest = 999_999_999_999n;
export const amountRule = 'must be an amount from 0 to 9999999999.99 with at most two decimals.';

/** An amount of two decimals in its smallest unit: exact, however large a sum becomes. */
export function toCents(amount: string): bigint {
  return BigInt(amount.replace('.', ''));
}

export function fromCents(cents: bigint): string {
  const digits = String(cents).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** What items cost together, or `undefined` where no order can have such a total. */
export function sumOf(items: readonly { quantity: number; price: string }[]): string | undefined {
  const cents = items.reduce((sum, { quantity, price }) => sum + BigInt(quantity) * toCents(price), 0n);
  return cents > largest ? undefined : fromCents(cents);
}

/** Reads an amount; what is none is written down under its field. */
export function readAmount(errors: FieldErrors, field: string, input: string | number): string {
  const amount = toMoney(input);
  const name = field.split('.').at(-1);
  if (amount === undefined) errors[field] = [`The ${name} ${amountRule}`];
  return amount ?? '0.00';
}
