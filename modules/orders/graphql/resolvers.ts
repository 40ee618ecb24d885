import type { ResolverContext } from '@chowk/kit';

type Page = { first: number; after?: string; last?: number; before?: string; status?: string[] };

export const resolvers = {
  Customer: {
    /** As over REST: for those who see orders, and for those who see the customer. */
    orders: ({ id }: { id: string }, { first, after, last, before, ...filters }: Page, ctx: ResolverContext) => {
      const query = { customer_id: id, ...filters };
      const seesCustomer = !ctx.hasPermission('orders.view') && ctx.hasPermission('customers.view');
      return ctx.list(seesCustomer ? 'orders.listWithCustomers' : 'orders.list', query, {
        first,
        after,
        last,
        before,
      });
    },
  },
};
