import { fromCents, type Issues, toCents } from '@chowk/kit';
import { toThousandths } from './amounts.ts';
import type { OrderItem } from './item-schemas.ts';
import type { RefundedUnits } from './payment-schemas.ts';
import type { Order } from './schemas.ts';

type Refunded = ReadonlyMap<string, { readonly refunded: number }>;

/** The units of each item that are not refunded yet. */
export function unitsLeft({ items }: Order, refunded: Refunded): RefundedUnits[] {
  return items
    .map(({ id, quantity }) => ({ item_id: id, quantity: quantity - (refunded.get(id)?.refunded ?? 0) }))
    .filter(({ quantity }) => quantity > 0);
}

/** Adds a problem for each item that the order does not have, or not so often. */
export function checkUnits(
  order: Order,
  units: readonly Partial<RefundedUnits>[],
  refunded: Refunded,
  issues: Issues,
): void {
  const left = new Map(unitsLeft(order, refunded).map(({ item_id, quantity }) => [item_id, quantity]));
  for (const [index, { item_id, quantity = 0 }] of units.entries()) {
    if (item_id === undefined) continue;
    const item = order.items.find(({ id }) => id === item_id);
    const most = left.get(item_id) ?? 0;
    left.set(item_id, Math.max(most - quantity, 0));
    if (!item) issues.add(`items.${index}.item_id`, `The order has no item ${item_id}.`, 'unknown');
    else if (quantity > most) {
      const message = `At most ${most} of ${item.name} can be refunded; the others are refunded already.`;
      issues.add(`items.${index}.quantity`, message, 'too_large');
    }
  }
}

/** The price of the units with discounts and taxes, in thousandths. */
export function priceUnits({ items, currency }: Order, units: readonly RefundedUnits[], refunded: Refunded): bigint {
  return items.reduce((sum, item) => {
    const before = refunded.get(item.id)?.refunded ?? 0;
    const more = units
      .filter(({ item_id }) => item_id === item.id)
      .reduce((count, { quantity }) => count + quantity, 0);
    return sum + priceFirst(item, before + more, currency) - priceFirst(item, before, currency);
  }, 0n);
}

/** Rounded for the number of units, so that units refunded one by one add up to the total of the item. */
function priceFirst({ total, quantity }: OrderItem, count: number, currency: string): bigint {
  if (count >= quantity) return toThousandths(total);
  const units = BigInt(quantity);
  const cents = (2n * toCents(total, currency) * BigInt(count) + units) / (2n * units);
  return toThousandths(fromCents(cents, currency));
}
