import type { ResolverContext } from '@chowk/kit';

type Page = { first: number; after?: string; status?: string[] };

export const resolvers = {
  Customer: {
    orders: ({ id }: { id: string }, { first, after, ...filters }: Page, ctx: ResolverContext) =>
      ctx.list('orders.list', { customer_id: id, ...filters }, { first, after }),
  },
};
