import type { Ctx } from '@chowk/kit';
import type { Product } from './schemas.ts';

export interface StockChanged {
  product: Product;
  /** By how many pieces the stock on the shelf has changed. */
  change: number;
  /** By how many pieces what is promised of it has changed. */
  reserved_change: number;
  reason: string;
  reference: string | null;
  /** Whether no more than `products.low_stock_threshold` can still be sold. */
  low_stock: boolean;
}

declare module '@chowk/kit/catalogue' {
  interface Events {
    'product.created': { product: Product };
    /** `changed` names the fields. */
    'product.updated': { product: Product; changed: string[] };
    'product.deleted': { product: Product };
    'product.stock_changed': StockChanged;
  }
}

export function tellCreated(ctx: Ctx, product: Product): Promise<void> {
  return ctx.emit('product.created', { product }, { about: product.id });
}

export function tellUpdated(ctx: Ctx, product: Product, changed: string[]): Promise<void> {
  return ctx.emit('product.updated', { product, changed }, { about: product.id });
}

export function tellDeleted(ctx: Ctx, product: Product): Promise<void> {
  return ctx.emit('product.deleted', { product }, { about: product.id });
}

export async function tellStockChanged(ctx: Ctx, event: Omit<StockChanged, 'low_stock'>): Promise<void> {
  const { 'products.low_stock_threshold': threshold } = await ctx.settings();
  const low_stock = event.product.available <= Number(threshold);
  await ctx.emit('product.stock_changed', { ...event, low_stock }, { about: event.product.id });
}
