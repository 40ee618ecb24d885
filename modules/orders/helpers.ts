import type { Ctx, HelpersOf, Pagination, Paging } from '@chowk/kit';
import { customerOrderList } from './list.ts';
import type { Order } from './schemas.ts';
import { statistics } from './statistics.ts';

interface OrderPage {
  readonly orders: Order[];
  readonly pagination: Pagination;
}

/** For the code of other modules, which decide who may see the answer. */
export const helpers = {
  /** What the orders of these customers add up to. */
  statistics,
  /** A page of a customer's orders, the latest first; masked for callers who may not see street addresses. */
  ofCustomer: (ctx: Ctx, query: Paging & { readonly customer_id: string }) =>
    customerOrderList.page(ctx, { ...query, sort_by: 'placed_at', sort_order: 'desc' }) as Promise<OrderPage>,
};

declare module '@chowk/kit/catalogue' {
  interface Helpers {
    orders: HelpersOf<typeof helpers>;
  }
}
