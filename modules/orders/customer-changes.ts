import { type Ctx, inTransaction, sql } from '@chowk/kit';
import { columns } from './columns.ts';
import { giveBack } from './orders.ts';
import type { Order } from './schemas.ts';

/* Changes of a customer that change its orders too. */

async function moveOrders(ctx: Ctx, from: string, to: string): Promise<void> {
  const orders = await ctx.db.rows<Order>(sql`
    UPDATE orders o SET customer_id = ${to}, updated_at = ${ctx.now()}
    WHERE customer_id = ${from} AND deleted_at IS NULL RETURNING ${columns}`);
  await emitUpdated(ctx, orders, ['customer_id']);
}

const emitUpdated = (ctx: Ctx, orders: readonly Order[], changed: string[]) =>
  ctx.emitAll(
    'order.updated',
    orders.map((order) => ({ order, changed })),
  );

function findOrders(ctx: Ctx, customerId: string): Promise<Order[]> {
  return ctx.db.rows<Order>(sql`
    SELECT ${columns} FROM orders o WHERE customer_id = ${customerId} AND deleted_at IS NULL ORDER BY id`);
}

export const listeners = [
  inTransaction('customer.merging', 'move-orders', (ctx, { primary, secondary }) =>
    moveOrders(ctx, secondary.id, primary.id),
  ),
  inTransaction('customer.erasing', 'delete-orders', async (ctx, { id, mode }) => {
    if (mode !== 'hard') return;
    const orders = await findOrders(ctx, id);
    for (const order of orders) await giveBack(ctx, order);
    await ctx.emitAll(
      'order.deleted',
      orders.map((order) => ({ order })),
    );
  }),
  inTransaction('customer.deleted', 'anonymize-orders', async (ctx, { id, mode }) => {
    if (mode === 'anonymize') await emitUpdated(ctx, await findOrders(ctx, id), ['shipping_address', 'note']);
  }),
];
