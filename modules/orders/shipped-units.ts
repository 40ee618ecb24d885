import type { Issues } from '@chowk/kit';
import type { OrderItem } from './item-schemas.ts';
import type { Order, Status } from './schemas.ts';
import type { FulfillmentStatus } from './shipment-schemas.ts';

/** Units of an item that a shipment contains. */
export interface Units {
  readonly item_id: string;
  readonly quantity: number;
}

type Counted = Pick<OrderItem, 'id' | 'quantity' | 'shipped_quantity'>;

/** All units of orders with these statuses have left. */
export const isShipped = (status: Status) => status === 'shipped' || status === 'delivered';

export const countLeft = ({ quantity, shipped_quantity }: Counted) => Math.max(quantity - shipped_quantity, 0);

export function listLeft(items: readonly Counted[]): Units[] {
  return items.map((item) => ({ item_id: item.id, quantity: countLeft(item) })).filter(({ quantity }) => quantity > 0);
}

export function addUnits<Item extends Counted>(items: readonly Item[], units: readonly Units[]): Item[] {
  const added = new Map(units.map(({ item_id, quantity }) => [item_id, quantity]));
  return items.map((item) => ({ ...item, shipped_quantity: item.shipped_quantity + (added.get(item.id) ?? 0) }));
}

export function readFulfillment(items: readonly Counted[]): FulfillmentStatus {
  if (items.every((item) => countLeft(item) === 0)) return 'fulfilled';
  return items.some(({ shipped_quantity }) => shipped_quantity > 0) ? 'partly_fulfilled' : 'unfulfilled';
}

interface EditedItem {
  readonly id: string;
  readonly quantity: number;
  readonly variant_id: string | null;
}

/** The fulfillment of an order with these items instead of its own. */
export function fulfillmentWith({ items }: Pick<Order, 'items'>, edited: readonly EditedItem[]): FulfillmentStatus {
  const shipped = new Map(items.map((item) => [item.id, item.shipped_quantity]));
  return readFulfillment(edited.map((item) => ({ ...item, shipped_quantity: shipped.get(item.id) ?? 0 })));
}

/** Units that have been shipped stay in the order. */
export function checkShippedItems(
  { items }: Pick<Order, 'items'>,
  edited: readonly EditedItem[],
  issues: Issues,
): void {
  for (const { id, name, shipped_quantity, variant_id } of items) {
    if (shipped_quantity === 0) continue;
    const index = edited.findIndex((item) => item.id === id);
    const after = edited[index];
    const shipped = `${shipped_quantity} of ${name} have been shipped`;
    if (!after) issues.add('items', `${shipped}, so that it cannot be removed.`, 'required');
    else if (after.variant_id !== variant_id) {
      issues.add(`items.${index}.variant_id`, `${shipped}, so that its variant cannot change.`, 'not_allowed');
    } else if (after.quantity < shipped_quantity) {
      issues.add(
        `items.${index}.quantity`,
        `${shipped}; the quantity must be at least ${shipped_quantity}.`,
        'too_small',
      );
    }
  }
}
