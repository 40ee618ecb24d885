import type { Ctx } from '@chowk/kit';
import type { Product, StockMovement } from './schemas.ts';

interface StockChanged extends Pick<StockMovement, 'change' | 'reserved_change' | 'reason' | 'reference'> {
  product: Product;
  /** Whether `products.low_stock_threshold` units or fewer are available. */
  low_stock: boolean;
}

declare module '@chowk/kit/catalogue' {
  interface Events {
    'product.created': { product: Product };
    /** `changed` lists the fields. */
    'product.updated': { product: Product; changed: string[] };
    'product.deleted': { product: Product };
    'product.stock_changed': StockChanged;
  }
}

export async function emitStockChanged(ctx: Ctx, event: Omit<StockChanged, 'low_stock'>): Promise<void> {
  const { 'products.low_stock_threshold': threshold } = await ctx.settings();
  const low_stock = event.product.available <= threshold;
  await ctx.emit('product.stock_changed', { ...event, low_stock }, { about: event.product.id });
}
