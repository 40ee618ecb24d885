import type { TaxRate } from '@chowk/client';

export type ExampleRate = Pick<TaxRate, 'name' | 'country' | 'state' | 'tax_class' | 'rate' | 'priority' | 'is_active'>;

/** A rate as its form has it. */
export interface EditedRate extends ExampleRate {
  /** `new`, or that of the rate. */
  readonly id: string;
}

interface Place {
  readonly country: string;
  /** Its code; empty if it is not known. */
  readonly state: string;
}

interface Example {
  readonly taxes: readonly { readonly name: string; readonly rate: string; readonly amount: string }[];
  /** What the shop keeps. */
  readonly net: string;
  /** What the customer pays. */
  readonly total: string;
}

/** The taxes of a price of 100 in the shop, as the platform calculates them: each is rounded by itself. */
export function exampleTaxes(
  rates: readonly ExampleRate[],
  place: Place,
  isIncluded: boolean,
  decimals: number,
): Example {
  const unit = 10 ** decimals;
  const price = 100 * unit;
  const applied = ratesAt(rates, place);
  const percent = applied.reduce((sum, { rate }) => sum + Number(rate), 0);
  const base = isIncluded ? 100 + percent : 100;
  const taxes = applied.map(({ name, rate }) => ({ name, rate, amount: roundHalfUp((price * Number(rate)) / base) }));
  const sum = taxes.reduce((total, { amount }) => total + amount, 0);
  const format = (amount: number) => (amount / unit).toFixed(decimals);
  return {
    taxes: taxes.map(({ name, rate, amount }) => ({ name, rate, amount: format(amount) })),
    net: format(isIncluded ? price - sum : price),
    total: format(isIncluded ? price : price + sum),
  };
}

/** Rates for a state replace those for its country with the same priority. */
function ratesAt(rates: readonly ExampleRate[], { country, state }: Place): readonly ExampleRate[] {
  const matching = rates.filter(
    (rate) =>
      rate.is_active &&
      rate.tax_class === 'standard' &&
      rate.country === country &&
      (rate.state === null || rate.state === state) &&
      isPercent(rate.rate),
  );
  const isReplaced = ({ state: own, priority }: ExampleRate) =>
    own === null && matching.some((other) => other.state !== null && other.priority === priority);
  return matching
    .filter((rate) => !isReplaced(rate))
    .sort((one, other) => one.priority - other.priority || one.name.localeCompare(other.name, 'en'));
}

/** What is being typed may be none yet. */
function isPercent(text: string): boolean {
  return text !== '' && Number(text) >= 0 && Number(text) <= 100;
}

/** Fractions such as 0.285 are a little less in binary. */
function roundHalfUp(amount: number): number {
  return Math.round(Number(amount.toFixed(6)));
}
