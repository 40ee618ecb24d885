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

/** The units that were given back do not count. */
export function readFulfillment(items: readonly Counted[]): FulfillmentStatus {
  if (!items.some(({ shipped_quantity }) => shipped_quantity > 0)) return 'unfulfilled';
  return items.every((item) => countLeft(item) === 0) ? 'fulfilled' : 'partly_fulfilled';
}

interface EditedItem {
  readonly id: string;
  readonly quantity: number;
  readonly variant_id: string | null;
}

/** The edited items of an order, with what has been shipped of them. */
export function withShipped<Item extends EditedItem>({ items }: Pick<Order, 'items'>, edited: readonly Item[]) {
  const shipped = new Map(items.map((item) => [item.id, item.shipped_quantity]));
  return edited.map((item) => ({ ...item, shipped_quantity: shipped.get(item.id) ?? 0 }));
}

type Refunded = ReadonlyMap<string, { readonly refunded: number; readonly restocked: number }>;

/** Units that have been shipped or refunded stay in the order. */
export function checkEditedItems(
  { items }: Pick<Order, 'items'>,
  edited: readonly EditedItem[],
  refunded: Refunded,
  issues: Issues,
): void {
  for (const item of items) {
    const least = countFixed(item, refunded);
    if (least === 0) continue;
    const index = edited.findIndex(({ id }) => id === item.id);
    const after = edited[index];
    const what = refunded.has(item.id) ? 'shipped or refunded' : 'shipped';
    const fixed = `${least} of ${item.name} have been ${what}`;
    if (!after) issues.add('items', `${fixed}, so that it cannot be removed.`, 'required');
    else if (after.variant_id !== item.variant_id) {
      issues.add(`items.${index}.variant_id`, `${fixed}, so that its variant cannot change.`, 'not_allowed');
    } else if (after.quantity < least) {
      issues.add(`items.${index}.quantity`, `${fixed}; the quantity must be at least ${least}.`, 'too_small');
    }
  }
}

/** Units that were given back before they were shipped are not among the shipped ones. */
function countFixed({ id, quantity, shipped_quantity }: Counted, units: Refunded): number {
  const { refunded, restocked } = units.get(id) ?? { refunded: 0, restocked: 0 };
  return Math.max(refunded, restocked + Math.min(shipped_quantity, quantity - restocked));
}
