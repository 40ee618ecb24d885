import { type FieldErrors, invalid } from '@chowk/kit';
import { readAmount, sumOf } from './amounts.ts';
import type { NewItem, Order, OrderChanges, ShippingAddress } from './schemas.ts';

/** An item in the form in which it is kept. */
export interface KeptItem {
  readonly name: string;
  readonly sku: string | null;
  readonly quantity: number;
  readonly price: string;
}

/** What a merchant decides about an order besides its status, in the form in which it is kept. */
export interface Fields extends Pick<Order, 'total' | 'currency' | 'placed_at' | 'shipping_address' | 'note'> {
  readonly items: readonly KeptItem[];
}

/**
 * The given fields as they are kept. Items bring a total along unless one is given. 422 for what is wrong that no schema
 * can say.
 */
export function readFields(input: OrderChanges): Partial<Fields> {
  const { currency, placed_at, shipping_address, note } = input;
  const errors: FieldErrors = {};
  const items = input.items?.map((item, index) => readItem(errors, item, index));
  const fields = {
    ...(items ? { items } : {}),
    ...readTotal(errors, input, items),
    ...(currency === undefined ? {} : { currency }),
    ...(placed_at === undefined ? {} : { placed_at: readMoment(errors, placed_at) }),
    ...(shipping_address === undefined ? {} : { shipping_address: readAddress(shipping_address) }),
    ...(note === undefined ? {} : { note: note?.trim() ? note : null }),
  };
  if (Object.keys(errors).length > 0) throw invalid(errors);
  return fields;
}

function readItem(errors: FieldErrors, { name, sku, quantity, price }: NewItem, index: number): KeptItem {
  const field = `items.${index}`;
  if (name.trim() === '') errors[`${field}.name`] = ['The name must not be empty.'];
  const kept = readAmount(errors, `${field}.price`, price);
  return { name: name.trim(), sku: sku?.trim() || null, quantity, price: kept };
}

function readTotal(
  errors: FieldErrors,
  { total }: OrderChanges,
  items: readonly KeptItem[] | undefined,
): { total?: string } {
  if (total !== undefined) return { total: readAmount(errors, 'total', total) };
  if (!items) return {};
  const sum = sumOf(items);
  if (sum === undefined) errors.total = ['The items together must cost at most 9999999999.99.'];
  return { total: sum ?? '0.00' };
}

/** To the millisecond, as every moment is told. */
function readMoment(errors: FieldErrors, text: string): string {
  const at = new Date(text);
  const year = at.getUTCFullYear();
  if (year >= 1 && year <= 9_999) return at.toISOString();
  errors.placed_at = ['The placed at must be a moment from the year 1 to 9999.'];
  return text;
}

/** Without what is empty; an address of nothing is none. */
function readAddress(address: ShippingAddress | null): ShippingAddress | null {
  const lines = Object.entries(address ?? {}).map(([name, text]) => [name, text?.trim()] as const);
  const filled = lines.filter(([, text]) => text);
  return filled.length === 0 ? null : Object.fromEntries(filled);
}
