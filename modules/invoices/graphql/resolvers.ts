import type { ResolverContext } from '@chowk/kit';

type Page = { first: number; after?: string; last?: number; before?: string };

export const resolvers = {
  Order: {
    invoices: ({ id }: { id: string }, page: Page, ctx: ResolverContext) =>
      ctx.list('invoices.list', { order_id: id }, page),
  },
};
