import { Money, Type } from './schema.ts';

export { Money };

const rules = {
  money: true,
  description: 'An amount from 0 to 9999999999.99 with at most two decimals, as a string or a number.',
  examples: ['199.65'],
};

/** An amount in an input; the action gets it as a string with two decimals. */
export const MoneyInput = Type.Unsafe<string>({ type: ['string', 'number'], ...rules });
export const NullableMoneyInput = Type.Unsafe<string | null>({ type: ['string', 'number', 'null'], ...rules });

/** The code of a currency in an input. */
export const Currency = Type.String({ format: 'currency', description: 'ISO 4217 code.', examples: ['INR'] });

const amount = /^(\d{1,10})(?:\.(\d{1,2}))?$/;

/** The amount with two decimals; `undefined` if it is invalid. */
export function toMoney(input: string | number): string | undefined {
  const [, whole, decimals = ''] = amount.exec(String(input).trim()) ?? [];
  return whole === undefined ? undefined : `${Number(whole)}.${decimals.padEnd(2, '0')}`;
}

/** An amount in hundredths; sums of bigints are exact. */
export function toCents(money: string): bigint {
  return BigInt(money.replace('.', ''));
}

export function fromCents(cents: bigint): string {
  const digits = String(cents).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
