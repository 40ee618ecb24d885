import { divideHalfUp, hundredPercent, parsePercent, smaller, sum } from './amounts.ts';
import type { Region } from './regions.ts';
import type { TaxRule } from './rules.ts';

export interface TaxAmount {
  readonly name: string;
  readonly rate: string;
  readonly amount: bigint;
}

/** An amount with its taxes. */
export interface Charge {
  readonly taxes: readonly TaxAmount[];
  /** What is paid. */
  readonly total: bigint;
}

/**
 * The rates for an address, by priority and name. Rates for its state replace those for the whole country with the same priority and
 * tax class: a shop in Maharashtra charges CGST and SGST there, and IGST in the rest of India.
 */
export function ratesForRegion(rates: readonly TaxRule[], region: Region): TaxRule[] {
  const matching = rates.filter(
    ({ country, state }) => country === region.country && (state === null || state === region.state),
  );
  const groups = Map.groupBy(matching, ({ priority, tax_class }) => JSON.stringify([priority, tax_class]));
  return [...groups.values()]
    .flatMap((group) => {
      const ofState = group.filter(({ state }) => state !== null);
      return ofState.length > 0 ? ofState : group;
    })
    .sort((a, b) => a.priority - b.priority || a.name.localeCompare(b.name, 'en'));
}

/** Each tax is rounded by itself, so that equal rates have equal amounts. */
export function chargeTaxes(amount: bigint, rates: readonly TaxRule[], isIncluded: boolean): Charge {
  if (!isIncluded) {
    const taxes = rates.map(({ name, rate }) => {
      return { name, rate, amount: divideHalfUp(amount * parsePercent(rate), hundredPercent) };
    });
    return { taxes, total: amount + sum(taxes.map((tax) => tax.amount)) };
  }
  const gross = hundredPercent + sum(rates.map(({ rate }) => parsePercent(rate)));
  let left = amount;
  const taxes = rates.map(({ name, rate }) => {
    // Several high rates of a tiny amount must not exceed it.
    const included = smaller(divideHalfUp(amount * parsePercent(rate), gross), left);
    left -= included;
    return { name, rate, amount: included };
  });
  return { taxes, total: amount };
}

export function withoutTaxes(amount: bigint, rates: readonly TaxRule[]): bigint {
  return amount - sum(chargeTaxes(amount, rates, true).taxes.map((tax) => tax.amount));
}
