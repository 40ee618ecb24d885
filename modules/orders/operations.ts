import {
  ById,
  type Ctx,
  extend,
  Money,
  Nullable,
  operation,
  Pagination,
  paging,
  type Static,
  sql,
  Timestamp,
  Type,
  Uuid,
} from '@chowk/kit';
import { figureOperations } from './daily-figures.ts';
import { customerOrderList, orderList } from './list.ts';
import { getRecord } from './orders.ts';
import { paymentOperations } from './payment-operations.ts';
import { Order, OrderDetails } from './schemas.ts';

const Statistics = Type.Object({
  total_orders: Type.Integer(),
  total_spent: Money,
  avg_order_value: Money,
  first_order_at: Nullable(Timestamp),
  last_order_at: Nullable(Timestamp),
  currency: Nullable(Type.String()),
  other_currencies: Type.Array(Type.String()),
});
type Statistics = Static<typeof Statistics>;
const CustomerIds = Type.Object({ customer_ids: Type.Array(Uuid) });

async function getStatistics(ctx: Ctx, { customer_ids }: Static<typeof CustomerIds>): Promise<Statistics> {
  const { 'general.currency': currency } = await ctx.settings();
  return (await ctx.db.row<Statistics>(sql`
    SELECT count(*)::integer AS total_orders,
      coalesce(sum(total) FILTER (WHERE currency = ${currency}), 0)::numeric(18, 2) AS total_spent,
      coalesce(avg(total) FILTER (WHERE currency = ${currency}), 0)::numeric(18, 2) AS avg_order_value,
      min(placed_at) AS first_order_at, max(placed_at) AS last_order_at,
      CASE WHEN count(*) > 0 THEN ${currency}::text END AS currency,
      coalesce(array_agg(DISTINCT currency) FILTER (WHERE currency <> ${currency}), '{}') AS other_currencies
    FROM orders WHERE customer_id = ANY(${customer_ids}::uuid[]) AND deleted_at IS NULL
      AND status NOT IN ('cancelled', 'failed')`)) as Statistics;
}

export const operations = {
  ...paymentOperations,
  ...figureOperations,
  'orders.getStatistics': operation({
    summary: 'Get the order statistics of customers, together',
    description:
      "Cancelled and failed orders do not count. Amounts are those of the orders in the tenant's currency; " +
      '`other_currencies` lists the currencies of the others.',
    input: CustomerIds,
    output: Statistics,
    run: getStatistics,
  }),
  'orders.getRecord': operation({
    summary: 'Get an order as it is stored, for documents and messages',
    description: 'Nothing is masked. Includes items, customer, history, payments and refunds.',
    input: extend(ById, {
      lock: Type.Optional(
        Type.Boolean({ description: 'Locks the customer and the order until the transaction ends.' }),
      ),
    }),
    output: OrderDetails,
    run: getRecord,
  }),
  'orders.listNumbers': operation({
    summary: 'List the numbers of orders by id',
    input: Type.Object({ ids: Type.Array(Uuid) }),
    output: Type.Array(Type.Object({ id: Uuid, order_number: Type.String() })),
    run: (ctx, { ids }) =>
      ctx.db.rows<{ id: string; order_number: string }>(
        sql`SELECT id, order_number FROM orders WHERE id = ANY(${ids}::uuid[])`,
      ),
  }),
  'orders.listWithCustomers': operation({
    summary: 'List orders as `orders.list` does, for callers whose permission has been checked',
    ...orderList.paged,
  }),
  'orders.listByCustomer': operation({
    summary: 'List the orders of a customer, the most recent first',
    description: 'Addresses are masked as for the user.',
    input: Type.Object({ customer_id: Uuid, ...paging }),
    output: Type.Object({ orders: Type.Array(Order), pagination: Pagination }),
    async run(ctx, query) {
      const page = await customerOrderList.page(ctx, { ...query, sort_by: 'placed_at', sort_order: 'desc' });
      return page as { orders: Order[]; pagination: Pagination };
    },
  }),
  'orders.listRecent': operation({
    summary: 'List the most recent orders of several customers',
    description: 'At most `limit` for each customer. Addresses are masked as for the user.',
    input: Type.Object({ customer_ids: Type.Array(Uuid), limit: Type.Integer({ minimum: 1, maximum: 100 }) }),
    output: Type.Array(Order),
    async run(ctx, { customer_ids, limit }) {
      const order = { sort_by: 'placed_at', sort_order: 'desc', page: 1, per_page: 20 } as const;
      const queries = customer_ids.map((customer_id) => ({ customer_id, limit, ...order }));
      return (await customerOrderList.pages(ctx, queries)).flatMap((page) => (page as { orders: Order[] }).orders);
    },
  }),
};
