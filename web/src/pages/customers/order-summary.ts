import type { CustomerOrder } from '@chowk/client';

/** The items in one line: `2 × Tea, Rice`. */
export function summaryOf({ items }: CustomerOrder): string {
  return (items as readonly { readonly name: string; readonly quantity: number }[])
    .map(({ name, quantity }) => (quantity === 1 ? name : `${quantity} × ${name}`))
    .join(', ');
}
