import { toCents } from '@chowk/kit';
import { allocate, divideHalfUp, hundredPercent, parsePercent, smaller, sum } from './amounts.ts';
import type { Cart, CartLine, PricedDiscount, ProblemCode } from './cart-schemas.ts';
import type { DiscountRule, PricingRules } from './rules.ts';

export interface AppliedDiscount
  extends Pick<PricedDiscount, 'source' | 'discount_id' | 'code' | 'title' | 'kind' | 'value'> {
  readonly amount: bigint;
  /** `null`: the shipping. */
  readonly allocations: readonly { readonly line: number | null; readonly amount: bigint }[];
}
type Description = Omit<AppliedDiscount, 'amount' | 'allocations'>;

export interface Problem {
  readonly code: ProblemCode;
  readonly discount_code: string | null;
  readonly minimum?: string | number | null;
}

interface Discounted {
  readonly discounts: AppliedDiscount[];
  readonly problems: Problem[];
  /** What remains of each line. */
  readonly left: readonly bigint[];
  readonly freeShipping: Description | undefined;
}

type PricedIn = Cart & { readonly currency: string };

/**
 * Each discount is taken from what those before it have left: first those of lines, then manual ones in the order given, then codes
 * in the order given.
 */
export function applyDiscounts(cart: PricedIn, rules: PricingRules, subtotals: readonly bigint[]): Discounted {
  const left = [...subtotals];
  const keys = cart.lines.map((line) => JSON.stringify(line));
  const discounts: AppliedDiscount[] = [];
  const problems: Problem[] = [];
  const take = (description: Description, lines: readonly number[]) => {
    const shares = lines.map((line) => ({ weight: left[line] as bigint, key: keys[line] as string }));
    const amount = discountAmount(description, sum(shares.map(({ weight }) => weight)), cart.currency);
    const allocations = allocate(amount, shares)
      .map((part, index) => ({ line: lines[index] as number, amount: part }))
      .filter((part) => part.amount > 0n);
    for (const part of allocations) left[part.line] = (left[part.line] as bigint) - part.amount;
    discounts.push({ ...description, amount, allocations });
  };

  for (const [index, { discount }] of cart.lines.entries()) {
    if (discount) take({ source: 'line', discount_id: null, code: null, ...discount }, [index]);
  }
  const afterLineDiscounts = [...left];
  const everyLine = [...left.keys()];
  for (const discount of cart.discounts) {
    take({ source: 'manual', discount_id: null, code: null, ...discount }, everyLine);
  }

  const used: DiscountRule[] = [];
  let freeShipping: Description | undefined;
  for (const code of distinctCodes(cart.codes)) {
    const rule = rules.discounts.find((discount) => isSameCode(discount.code, code));
    const lines = rule ? everyLine.filter((line) => appliesTo(rule, cart.lines[line] as CartLine)) : [];
    const problem = rule ? codeProblem(rule, { cart, rules, used, lines, amounts: afterLineDiscounts }) : unknown;
    if (!rule || problem) {
      problems.push({ discount_code: rule?.code ?? code, ...(problem as Omit<Problem, 'discount_code'>) });
      continue;
    }
    used.push(rule);
    const { id: discount_id, title, kind, value } = rule;
    const description = {
      source: 'code',
      discount_id,
      code: rule.code,
      title: title ?? rule.code,
      kind,
      value,
    } as const;
    if (kind !== 'free_shipping') take(description, lines);
    else freeShipping ??= description;
  }
  return { discounts, problems, left, freeShipping };
}

const unknown = { code: 'unknown' } as const;

function discountAmount({ kind, value }: Description, base: bigint, currency: string): bigint {
  if (kind === 'percent') return smaller(divideHalfUp(base * parsePercent(value), hundredPercent), base);
  return smaller(toCents(value, currency), base);
}

const isSameCode = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

export function distinctCodes(codes: readonly string[]): string[] {
  return codes.filter((code, index) => codes.findIndex((other) => isSameCode(other, code)) === index);
}

function appliesTo({ applies_to, target_ids }: DiscountRule, line: CartLine): boolean {
  const ids: Readonly<Record<DiscountRule['applies_to'], readonly (string | null)[]>> = {
    all: [],
    products: [line.product_id],
    variants: [line.variant_id],
    collections: line.collection_ids,
  };
  return applies_to === 'all' || ids[applies_to].some((id) => id !== null && target_ids.includes(id));
}

interface Situation {
  readonly cart: PricedIn;
  readonly rules: PricingRules;
  readonly used: readonly DiscountRule[];
  /** The lines that the discount applies to. */
  readonly lines: readonly number[];
  /** What line discounts have left of all lines. */
  readonly amounts: readonly bigint[];
}

function codeProblem(rule: DiscountRule, situation: Situation): Omit<Problem, 'discount_code'> | undefined {
  const { cart, rules, used, lines, amounts } = situation;
  const { minimum_subtotal: minimum, minimum_quantity: units } = rule;
  if (rule.problem) return { code: rule.problem };
  if ((minimum !== null || rule.kind === 'fixed') && cart.currency !== rules.currency)
    return { code: 'other_currency' };
  if (lines.length === 0) return { code: 'not_applicable' };
  if (minimum !== null && sum(lines.map((line) => amounts[line] as bigint)) < toCents(minimum, cart.currency)) {
    return { code: 'minimum_subtotal', minimum };
  }
  if (units !== null && lines.reduce((count, line) => count + (cart.lines[line]?.quantity ?? 0), 0) < units) {
    return { code: 'minimum_quantity', minimum: units };
  }
  const combines = [...used, rule].every((discount) => discount.combines);
  return used.length > 0 && !combines ? { code: 'not_combinable' } : undefined;
}
