import { columnsFor, sql } from '@chowk/kit';
import { Product } from './schemas.ts';

/** A product from a row of `products p`. */
export const columns = columnsFor(Product, sql`p`, { available: sql`p.stock - p.reserved` });
