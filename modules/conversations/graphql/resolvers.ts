import type { ResolverContext } from '@chowk/kit';

export const resolvers = {
  Customer: {
    conversations: ({ id }: { id: string }, page: { first: number; after?: string }, ctx: ResolverContext) =>
      ctx.list('conversations.list', { customer_id: id }, page),
  },
};
