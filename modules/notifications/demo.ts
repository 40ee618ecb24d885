import { type Demo, type DemoPlan, demoId, fillTables, pick } from '@chowk/kit';

const day = 86_400_000;

const kinds = [
  { type: 'order.created', module: 'orders', title: 'A new order was placed', icon: 'ShoppingCart', severity: 'info' },
  { type: 'order.delivered', module: 'orders', title: 'An order was delivered', icon: 'Package', severity: 'success' },
  {
    type: 'product.low_stock',
    module: 'products',
    title: 'A product is low in stock',
    icon: 'AlertTriangle',
    severity: 'warning',
  },
  { type: 'order.failed', module: 'orders', title: 'An order has failed', icon: 'AlertTriangle', severity: 'error' },
];

/** Forty notifications of the last two weeks for each member; the old ones are read. */
export const demo: Demo = {
  async fill(ctx, plan) {
    const members = await ctx.bus.call('identity.members', {});
    const notifications = members.flatMap(({ id }) => createNotifications(plan, id));
    await fillTables(ctx, { notifications });
  },
};

function createNotifications({ random: createRandom, today }: DemoPlan, user: number) {
  const random = createRandom('notifications', user);
  return Array.from({ length: 40 }, () => {
    const kind = pick(random, kinds);
    const age = random() * 14 * day;
    const time = Math.floor(today - age);
    const readAt = age > 2 * day ? new Date(Math.min(today, time + Math.floor(random() * day))) : null;
    const times = { read_at: readAt, created_at: new Date(time), updated_at: readAt ?? new Date(time) };
    return { id: demoId(time, random), user_id: user, ...kind, action_url: `/${kind.module}`, ...times };
  });
}
