import type { ResolverContext } from '@chowk/kit';

type Page = { first: number; after?: string };

export const resolvers = {
  Order: {
    invoices: ({ id }: { id: string }, { first, after }: Page, ctx: ResolverContext) =>
      ctx.list('invoices.list', { order_id: id }, { first, after }),
  },
};
