import { Failure, type ResolverContext } from '@chowk/kit';

type Page = { first: number; after?: string; last?: number; before?: string };

export const resolvers = {
  Product: {
    movements: ({ id }: { id: string }, page: Page, ctx: ResolverContext) =>
      ctx.list('products.movements', { id }, page),
  },
  OrderItem: {
    async product({ sku }: { sku: string | null }, _: object, ctx: ResolverContext) {
      if (sku === null) return null;
      try {
        return await ctx.load('products.getBySku', { sku });
      } catch (error) {
        // A product may be deleted, and an item need not be one.
        if (error instanceof Failure && error.status === 404) return null;
        throw error;
      }
    },
  },
};
