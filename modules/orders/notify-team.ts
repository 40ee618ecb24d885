import { afterCommit, type Ctx, inTransaction, type JobTypes, job, sql, Type, Uuid } from '@chowk/kit';
import { formatMoney } from './amounts.ts';
import type { OrderPayment } from './payment-schemas.ts';
import type { Order } from './schemas.ts';

const audience = { needs: 'orders.view', defaultFor: 'orders.edit' };

/** What members of the team hear about orders. */
export const notifications = {
  'order.created': {
    ...audience,
    description: 'A new order',
    several: { title: '{count} new orders', action_url: '/orders' },
  },
  'order.payment_added': {
    ...audience,
    description: 'A payment was received',
    several: { title: '{count} payments received', action_url: '/orders' },
  },
  'order.failed': {
    ...audience,
    description: 'An order failed',
    several: { title: '{count} orders failed', action_url: '/orders?status=failed' },
  },
};

export const teamListeners = [
  afterCommit('order.created', 'notify-new-order', (ctx, { order }) => {
    const { order_number, currency, total } = order;
    const title = `New order ${order_number} from {{customer_name}}: ${formatMoney(total, currency)}`;
    return notifyTeam(ctx, 'order.created', order, { title });
  }),
  afterCommit('order.payment_added', 'notify-payment', notifyPayment),
  afterCommit('order.payment_updated', 'notify-changed-payment', notifyPayment),
  // A delivery for each change of a status would cost more than a job for the few that fail.
  inTransaction('order.status_changed', 'notify-failed', async (ctx, { order: { id, status } }) => {
    if (status === 'failed') await ctx.jobs.add('orders.notify_failed', { id });
  }),
];

async function notifyPayment(ctx: Ctx, { order, payment }: { order: Order; payment: OrderPayment }): Promise<void> {
  if (payment.status !== 'succeeded') return;
  const { order_number, currency } = order;
  const title = `${formatMoney(payment.amount, currency)} received from {{customer_name}} for order ${order_number}`;
  await notifyTeam(ctx, 'order.payment_added', order, { title, severity: 'success' });
}

async function notifyFailed(ctx: Ctx, { id }: { id: string }): Promise<void> {
  const order = await ctx.db.row<FailedOrder>(sql`
    SELECT id, customer_id, order_number, currency, total FROM orders WHERE id = ${id} AND status = 'failed' AND deleted_at IS NULL`);
  if (!order) return;
  const { order_number, currency, total } = order;
  const title = `Order ${order_number} from {{customer_name}} failed: ${formatMoney(total, currency)}`;
  await notifyTeam(ctx, 'order.failed', order, { title, severity: 'error' });
}

type FailedOrder = Pick<Order, 'id' | 'customer_id' | 'order_number' | 'currency' | 'total'>;

export const teamJobs = { 'orders.notify_failed': job({ data: Type.Object({ id: Uuid }), run: notifyFailed }) };

declare module '@chowk/kit/catalogue' {
  interface Jobs extends JobTypes<typeof teamJobs> {}
}

interface Text {
  readonly title: string;
  readonly severity?: 'success' | 'error';
}

function notifyTeam(
  ctx: Ctx,
  type: keyof typeof notifications,
  { id, customer_id }: Pick<Order, 'id' | 'customer_id'>,
  text: Text,
): Promise<void> {
  return ctx.notify('members', {
    ...text,
    type,
    icon: 'ShoppingCart',
    action_url: `/orders/${id}`,
    data: { order_id: id },
    group_key: type,
    customer_id,
  });
}
