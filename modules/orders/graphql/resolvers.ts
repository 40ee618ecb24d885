import type { ResolverContext } from '@chowk/kit';

type Page = { first: number; after?: string; status?: string[] };

export const resolvers = {
  Customer: {
    /** As over REST: for those who see orders, and for those who see the customer. */
    orders: ({ id }: { id: string }, { first, after, ...filters }: Page, ctx: ResolverContext) => {
      const query = { customer_id: id, ...filters };
      const seesCustomer = !ctx.hasPermission('orders.view') && ctx.hasPermission('customers.view');
      return ctx.list(seesCustomer ? 'orders.listWithCustomers' : 'orders.list', query, { first, after });
    },
  },
};
