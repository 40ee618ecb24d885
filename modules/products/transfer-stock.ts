import { type Ctx, type Issues, invalid } from '@chowk/kit';
import { resolveLocation } from './locations.ts';
import { moveStock } from './stock.ts';
import type { StockTransfer } from './stock-schemas.ts';
import type { Variant } from './variant-schemas.ts';

export function checkTransfer(_ctx: Ctx, { items = [] }: Partial<StockTransfer>, issues: Issues): void {
  const named = new Set<string>();
  for (const [index, { variant_id }] of items.entries()) {
    const id = variant_id?.toLowerCase();
    if (named.has(id)) issues.add(`items.${index}.variant_id`, 'The variant is named twice.', 'taken');
    named.add(id);
  }
}

/** All items or none: the units must be at the first location. The stock of the variants stays. */
export async function transferStock(ctx: Ctx, input: StockTransfer): Promise<{ variants: Variant[] }> {
  const from = await resolveLocation(ctx, input.from_location_id, 'from_location_id');
  const to = await resolveLocation(ctx, input.to_location_id, 'to_location_id');
  if (from?.toLowerCase() === to?.toLowerCase())
    throw invalid({ to_location_id: 'The units are at this location already. Name another one.' });
  const common = { reason: 'transferred', reference: input.reference };
  const movements = input.items.flatMap(({ variant_id: variantId, quantity }) => [
    { ...common, variantId, locationId: from, change: -quantity },
    { ...common, variantId, locationId: to, change: quantity },
  ]);
  const moved = await moveStock(ctx, movements);
  return { variants: moved.filter((_, index) => index % 2 === 0).map(({ variant }) => variant) };
}
