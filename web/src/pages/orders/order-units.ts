import type { OrderDetails, OrderItem } from '@chowk/client';
import { currencyDecimals, fromThousandths, toThousandths } from '../../format/amount.ts';

/** How many units of an item. */
export interface Units {
  readonly item_id: string;
  readonly quantity: number;
}

type Refunds = OrderDetails['refunds'];

function countRefunded(refunds: Refunds, itemId: string): number {
  const units = refunds.filter(({ status }) => status !== 'failed').flatMap(({ items }) => items);
  return units.filter(({ item_id }) => item_id === itemId).reduce((sum, { quantity }) => sum + quantity, 0);
}

/** Units that went back into the stock are not shipped any more. */
export function listLeftToShip({ items, refunds }: Pick<OrderDetails, 'items' | 'refunds'>): readonly Units[] {
  const restocked = refunds.filter((refund) => refund.restocked);
  return items
    .map(({ id, quantity, shipped_quantity }) => ({
      item_id: id,
      quantity: quantity - shipped_quantity - countRefunded(restocked, id),
    }))
    .filter(({ quantity }) => quantity > 0);
}

export function listLeftToRefund({ items, refunds }: Pick<OrderDetails, 'items' | 'refunds'>): readonly Units[] {
  return items
    .map(({ id, quantity }) => ({ item_id: id, quantity: quantity - countRefunded(refunds, id) }))
    .filter(({ quantity }) => quantity > 0);
}

/** The price of units with discounts and taxes, as the platform refunds it. */
export function priceUnits(
  { items, refunds, currency }: Pick<OrderDetails, 'items' | 'refunds' | 'currency'>,
  units: readonly Units[],
): string {
  const sum = units.reduce((total, { item_id, quantity }) => {
    const item = items.find(({ id }) => id === item_id);
    if (!item) return total;
    const before = countRefunded(refunds, item_id);
    return total + priceFirst(item, before + quantity, currency) - priceFirst(item, before, currency);
  }, 0n);
  return fromThousandths(sum, currency);
}

/** Rounded for the number of units, so that units refunded one by one add up to the total of the item. */
function priceFirst({ total, quantity }: OrderItem, count: number, currency: string): bigint {
  const thousandths = toThousandths(total) ?? 0n;
  if (count >= quantity) return thousandths;
  const unit = 10n ** BigInt(3 - currencyDecimals(currency));
  const units = BigInt(quantity);
  return ((2n * (thousandths / unit) * BigInt(count) + units) / (2n * units)) * unit;
}

/** `2 × Tea, Rice`. */
export function unitsText(items: readonly OrderItem[], units: readonly Units[]): string {
  return units
    .map(({ item_id, quantity }) => {
      const name = items.find(({ id }) => id === item_id)?.name ?? 'Removed item';
      return quantity === 1 ? name : `${quantity} × ${name}`;
    })
    .join(', ');
}
