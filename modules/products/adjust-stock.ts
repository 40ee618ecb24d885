import { type Ctx, forbidden, invalid } from '@chowk/kit';
import { getProduct } from './products.ts';
import { endReservationsFor, reserve } from './reservations.ts';
import type { Product, StockAdjustment } from './schemas.ts';
import { moveStock } from './stock.ts';

/** Whoever takes orders may reserve and sell; whoever edits products may also change the stock. */
const mayReserve = ['products.edit', 'orders.create', 'orders.edit'];

export async function adjustStock(ctx: Ctx, { mode, change, ...input }: StockAdjustment): Promise<Product> {
  const enough = mode === 'adjust' ? ['products.edit'] : mayReserve;
  if (!enough.some((permission) => ctx.can(permission))) throw forbidden(enough.join(' or '));
  const { id } = input.id === undefined ? await getProduct(ctx, input) : { id: input.id };
  const { reference, reason, expires_in } = input;
  if (mode === 'adjust') {
    if (change === undefined) throw invalid({ change: { code: 'required', message: 'The change is required.' } });
    return moveStock(ctx, { id, change, reason, reference });
  }
  if (mode === 'reserve') {
    if (change === undefined || change < 1) throw invalid({ change: 'The change must be at least 1.' });
    const held = { id, quantity: change, expires_in, ...(reference === undefined ? {} : { reference }) };
    return (await reserve(ctx, held)).product;
  }
  if (reference === undefined) {
    throw invalid({ reference: { code: 'required', message: 'The reference is required.' } });
  }
  return endReservationsFor(ctx, { id, reference }, mode);
}
