import { action, type Ctx, sql } from '@chowk/kit';
import { unavailable } from './errors.ts';
import { Order, OrderBulkItem, OrderByExternalId } from './schemas.ts';

const needs = ['orders.create', 'orders.edit'];

export const upsertActions = {
  'orders.upsertByExternalId': action.upsert({
    summary: 'Create or update an order by external id',
    description:
      'The path has the id on another platform. Fields that are not sent do not change. `customer`, `customer_id`, ' +
      '`payments` and `track_stock` count only for a new order.',
    http: 'PUT /orders/by-external-id/:platform/:external_id',
    needs,
    key: 'order',
    output: Order,
    create: 'orders.create',
    update: 'orders.update',
    errors: ['http.precondition_failed', 'orders.closed', 'orders.no_customers', ...unavailable],
    input: OrderByExternalId,
    find: findByExternalId,
    newRecord: ({ platform, external_id, external_ids, ...fields }) => ({
      ...fields,
      external_ids: { ...external_ids, [platform]: external_id },
    }),
    changes: ({ platform, external_id, external_ids, customer: _, customer_id: __, payments: ___, ...fields }) => ({
      ...fields,
      ...(external_ids ? { external_ids: { ...external_ids, [platform]: external_id } } : {}),
    }),
  }),
  'orders.writeMany': action.bulk({
    summary: 'Create and update many orders',
    description:
      'Up to 1,000 items. Each follows the rules of a request of its own: `POST`, `PATCH` if it has an id, or `PUT` by the ' +
      'field that `match` names.',
    http: 'POST /orders/bulk',
    needs,
    item: OrderBulkItem,
    create: 'orders.create',
    update: 'orders.update',
    upsert: { external_ids: 'orders.upsertByExternalId' },
  }),
};

async function findByExternalId(
  ctx: Ctx,
  { platform, external_id }: { readonly platform: string; readonly external_id: string },
): Promise<string | undefined> {
  const found = await ctx.db.row<{ id: string }>(sql`
    SELECT order_id AS id FROM order_external_ids WHERE platform = ${platform} AND external_id = ${external_id}`);
  return found?.id;
}
