import type { Ctx, FieldError, Issues } from '@chowk/kit';
import type { OrderItemChange } from './item-schemas.ts';
import { checkAmounts, checkSubtotal, type PriceProblem } from './price-order.ts';
import { type ResolvedItem, resolveItems } from './resolve-items.ts';
import { PriceChoices } from './schemas.ts';

/** The items of an order with their variants, before it is priced. */
export interface ReadCart {
  readonly currency: string;
  readonly trackStock: boolean;
  readonly items: readonly ResolvedItem[];
}

interface CartInput extends PriceChoices {
  readonly items?: readonly Partial<OrderItemChange>[];
  readonly total?: string;
  readonly currency?: string;
  readonly track_stock?: boolean;
}

/** `undefined` if there are problems, or no items. */
export async function readCart(ctx: Ctx, input: CartInput, issues: Issues): Promise<ReadCart | undefined> {
  const { 'general.currency': ownCurrency, 'orders.track_stock': tracks } = await ctx.settings();
  const { items, currency = ownCurrency, track_stock: trackStock = tracks } = input;
  checkAmounts(input, items ?? [], currency, issues);
  if (!items) return undefined;
  // Orders that do not track stock were taken elsewhere.
  const onlyActive = input.track_stock !== false;
  const resolved = await resolveItems(ctx, items, { currency, ownCurrency, trackStock, onlyActive }, issues);
  if (resolved) checkSubtotal(resolved, { currency, total: input.total }, issues);
  return resolved && { currency, trackStock, items: resolved };
}

export function findRefusals(items: readonly ResolvedItem[]): PriceProblem[] {
  return items.flatMap(({ refusal }) => (refusal ? [{ ...refusal, code: 'not_for_sale' }] : []));
}

const choiceNames = Object.keys(PriceChoices.properties) as (keyof PriceChoices)[];

/** The fields of an input that the price depends on, besides the items, if they were sent. */
export function sentChoices(input: PriceChoices): PriceChoices {
  return pick(input, (value) => value !== undefined);
}

/** As `sentChoices`, without those that are null. */
export function pickChoices(input: PriceChoices): PriceChoices {
  return pick(input, (value) => value !== undefined && value !== null);
}

function pick(input: PriceChoices, isKept: (value: unknown) => boolean): PriceChoices {
  const names = choiceNames.filter((name) => isKept(input[name]));
  return Object.fromEntries(names.map((name) => [name, input[name]]));
}

/** Adds the problems of a price to those of the input. */
export function addProblems(problems: readonly PriceProblem[], issues: Issues): void {
  const codes: Readonly<Record<string, FieldError['code']>> = {
    unknown: 'unknown',
    too_large: 'too_large',
    mismatch: 'mismatch',
    not_for_sale: 'not_allowed',
  };
  for (const { field, code, message } of problems) issues.add(field, message, codes[code] ?? 'invalid');
}
