import type { ResolverContext } from '@chowk/kit';

type Page = { first: number; after?: string; last?: number; before?: string };

export const resolvers = {
  Customer: {
    conversations: ({ id }: { id: string }, page: Page, ctx: ResolverContext) =>
      ctx.list('conversations.list', { customer_id: id }, page),
  },
};
