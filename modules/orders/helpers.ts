import type { Ctx, HelpersOf, Paging } from '@chowk/kit';
import { ordersOfCustomer } from './customer-orders.ts';
import type { Order } from './schemas.ts';
import { type Statistics, statistics } from './statistics.ts';

/** What other modules may ask of this one; who sees the answer is for them to decide. */
export const helpers = {
  /** What the orders of these customers together add up to. */
  statistics: (ctx: Ctx, input: { customer_ids: readonly string[] }): Promise<Statistics> => statistics(ctx, input),
  /** A page of a customer's orders with their items, the most recent first. Masked for who may not see street addresses. */
  ofCustomer: (ctx: Ctx, input: { customer_id: string } & Paging): Promise<{ orders: Order[]; total: number }> =>
    ordersOfCustomer(ctx, input),
};

declare module '@chowk/kit/catalogue' {
  interface Helpers {
    orders: HelpersOf<typeof helpers>;
  }
}
