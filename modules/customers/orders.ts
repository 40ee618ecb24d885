import {
  assignments,
  type Ctx,
  inTransaction,
  type JobTypes,
  job,
  pagination,
  pickFields,
  sql,
  Type,
} from '@chowk/kit';
import { findCustomer, lockCurrent } from './find.ts';
import { type OrderPage, type OrdersQuery, Statistics } from './schemas.ts';

export async function listOrders(ctx: Ctx, query: OrdersQuery): Promise<OrderPage> {
  await findCustomer(ctx, query.id);
  return findOrders(ctx, query);
}

/** A page of orders, empty if the tenant does not have the orders module. */
async function findOrders(ctx: Ctx, { id, ...query }: OrdersQuery): Promise<OrderPage> {
  const page = await ctx.bus.callIfInstalled('orders.listByCustomer', { customer_id: id, ...query });
  if (page) return page;
  const byCursor = query.cursor !== undefined || query.limit !== undefined;
  return { orders: [], pagination: byCursor ? { next_cursor: null, has_more: false } : pagination(query, 0) };
}

/** The ten most recent orders of each customer; none if the tenant does not have the orders module. */
export async function recentOrders(ctx: Ctx, ids: readonly string[]) {
  return (await ctx.bus.callIfInstalled('orders.listRecent', { customer_ids: ids, limit: 10 })) ?? [];
}

/** The order statistics of customers, together; without the orders module, the stored ones. */
export async function readStatistics(ctx: Ctx, ids: readonly string[]): Promise<Statistics> {
  const current = await ctx.bus.callIfInstalled('orders.getStatistics', { customer_ids: ids });
  if (current) return current;
  return (await ctx.db.row<Statistics>(sql`
    SELECT sum(total_orders)::integer AS total_orders, sum(total_spent)::numeric(18, 2) AS total_spent,
      coalesce(sum(total_spent) / nullif(sum(total_orders), 0), 0)::numeric(18, 2) AS avg_order_value,
      min(first_order_at) AS first_order_at, max(last_order_at) AS last_order_at, max(currency) AS currency,
      (SELECT coalesce(array_agg(DISTINCT other), '{}') FROM customers, unnest(other_currencies) other
        WHERE id = ANY(${ids}::uuid[])) AS other_currencies
    FROM customers WHERE id = ANY(${ids}::uuid[])`)) as Statistics;
}

/**
 * The customer is locked, so that of two concurrent orders the second one counts both. Orders wait for each other until the
 * commit, so it is sent at once.
 */
async function updateStatistics(ctx: Ctx, id: string): Promise<void> {
  const statistics = await ctx.bus.callIfInstalled('orders.getStatistics', { customer_ids: [id] });
  if (!statistics) return;
  const fields = pickFields(Statistics, statistics);
  ctx.db.runWithCommit(sql`
    UPDATE customers SET ${assignments({ ...fields, updated_at: ctx.now() })} WHERE id = ${id}`);
}

/** The fields that the statistics depend on. A change of the status has an event of its own; a merge combines them itself. */
const counted = new Set(['total', 'placed_at']);

interface OrderEvent {
  readonly order: { readonly customer_id: string };
}

const countOrder = (ctx: Ctx, { order }: OrderEvent) => updateStatistics(ctx, order.customer_id);

const counting: ReadonlySet<string> = new Set(['order.created', 'order.status_changed', 'order.deleted']);

function changesStatistics(name: string, event: object): boolean {
  return counting.has(name) || ('changed' in event && (event.changed as string[]).some((field) => counted.has(field)));
}

/** After the tenant's currency has changed: recalculates the statistics in another one. Returns their number. */
async function recalculate(ctx: Ctx): Promise<number> {
  if (!(await ctx.bus.isInstalled('orders.getStatistics'))) return 0;
  const { 'general.currency': currency } = await ctx.settings();
  let [count, last]: [number, string | null] = [0, null];
  do {
    const batch: readonly { id: string }[] = await ctx.db.rows(sql`
      SELECT id FROM customers WHERE currency <> ${currency} AND (${last}::uuid IS NULL OR id > ${last})
      ORDER BY id LIMIT 500`);
    for (const { id } of batch) await ctx.tx((tx) => lockAndUpdate(tx, id));
    count += batch.length;
    last = batch.at(-1)?.id ?? null;
  } while (last !== null);
  return count;
}

async function lockAndUpdate(ctx: Ctx, id: string): Promise<void> {
  await lockCurrent(ctx, id);
  await updateStatistics(ctx, id);
}

export const jobs = {
  // Nightly as well, in case the process that changed the currency died before it could add the job.
  'customers.recalculate_statistics': job({ data: Type.Object({}), schedule: '23 4 * * *', run: recalculate }),
};

declare module '@chowk/kit/catalogue' {
  interface Jobs extends JobTypes<typeof jobs> {}
}

export const listeners = [
  // A pattern, because customers are used without the orders module too.
  inTransaction('order.*', 'update-statistics', async (ctx, event, { name }) => {
    if (changesStatistics(name, event)) await countOrder(ctx, event);
  }),
  inTransaction('settings.changed', 'recalculate-statistics', async (ctx, { keys }) => {
    if (keys.includes('general.currency')) await ctx.jobs.add('customers.recalculate_statistics', {});
  }),
];
