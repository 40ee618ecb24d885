import { type FieldErrors, invalid } from './errors.ts';
import { Type } from './schema.ts';

/** An amount in an answer. */
export const Money = Type.String({ pattern: '^\\d+\\.\\d{2}$', description: 'An amount with two decimals.' });

const description = 'An amount from 0 to 9999999999.99 with at most two decimals, as a string or a number.';

/** An amount in an input. JSON Schema cannot count a number's decimals, so what it lets through goes to `toMoney`. */
export const MoneyInput = Type.Unsafe<string | number>({ type: ['string', 'number'], description });
export const NullableMoneyInput = Type.Unsafe<string | number | null>({
  type: ['string', 'number', 'null'],
  description,
});

const amount = /^(\d{1,10})(?:\.(\d{1,2}))?$/;

/** The amount with two decimals, or `undefined` if it is none. */
export function toMoney(input: string | number): string | undefined {
  const [, whole, decimals = ''] = amount.exec(String(input).trim()) ?? [];
  return whole === undefined ? undefined : `${Number(whole)}.${decimals.padEnd(2, '0')}`;
}

type Amounts<Name extends string> = { readonly [Key in Name]?: string | number | undefined };

/** The amounts among the filters of a list, as `toMoney` gives them; 422 for those that are none. */
export function readAmounts<Name extends string>(filters: Amounts<Name>, names: readonly Name[]) {
  const amounts: { [Key in Name]?: string } = {};
  const errors: FieldErrors = {};
  for (const name of names) {
    const given = filters[name];
    if (given === undefined) continue;
    const amount = toMoney(given);
    if (amount === undefined) errors[name] = [`The ${name.replaceAll('_', ' ')} must be an amount.`];
    else amounts[name] = amount;
  }
  if (Object.keys(errors).length > 0) throw invalid(errors);
  return amounts;
}
