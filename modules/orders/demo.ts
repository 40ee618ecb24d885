import { type Ctx, type Demo, type DemoPlan, type DemoProduct, demoId, type Random, sql } from '@chowk/kit';
import { statusOf, stepsTo } from './demo-statuses.ts';
import { timesOf } from './demo-times.ts';
import type { Status } from './schemas.ts';

/** Orders that are written together: few enough that memory does not notice. */
const batchSize = 5_000;

/** What is sold where there is no catalogue. */
const unnamed: readonly DemoProduct[] = [
  { sku: 'ITEM-S', title: 'Small item', price: 19_900 },
  { sku: 'ITEM-L', title: 'Large item', price: 89_900 },
];

const orderColumns = [
  ...['id', 'number', 'order_number', 'customer_id', 'status', 'currency', 'total', 'refunded_total'],
  ...['note', 'placed_at', 'created_at', 'updated_at'],
];
const itemColumns = ['id', 'order_id', 'position', 'name', 'sku', 'quantity', 'price'];
const historyColumns = ['id', 'order_id', 'status', 'previous_status', 'refunded', 'reason', 'at'];

type Row = readonly unknown[];
interface Batch {
  readonly orders: Row[];
  readonly items: Row[];
  readonly history: Row[];
}

/** Orders in the order in which they came, so that numbers and ids ascend with time. */
export const demo: Demo = {
  after: ['products'],
  async fill(ctx, plan) {
    const times = timesOf(plan);
    const settings = await ctx.settings();
    const [currency, prefix] = [settings['general.currency'], settings['orders.number_prefix']];
    const first = (await takeNumbers(ctx, times.count)) - times.count + 1;
    const random = plan.random('orders');
    for (let from = 0; from < times.count; from += batchSize) {
      const batch: Batch = { orders: [], items: [], history: [] };
      for (let index = from; index < Math.min(from + batchSize, times.count); index += 1) {
        const { n, placedAt } = times.at(index);
        const number = first + index;
        addOrder(batch, plan, random, { n, placedAt, number, order_number: `${prefix}${number}`, currency });
      }
      await ctx.db.copy('orders', orderColumns, batch.orders);
      await ctx.db.copy('order_items', itemColumns, batch.items);
      await ctx.db.copy('order_history', historyColumns, batch.history);
    }
  },
};

interface Head {
  readonly n: number;
  readonly placedAt: number;
  readonly number: number;
  readonly order_number: string;
  readonly currency: unknown;
}

function addOrder({ orders, items, history }: Batch, plan: DemoPlan, random: Random, head: Head): void {
  const { n, placedAt, number, order_number, currency } = head;
  const id = demoId(placedAt, random);
  const status = statusOf(plan.today - placedAt, random);
  let total = 0;
  for (const [position, { sku, title, price, quantity }] of basketOf(plan, random).entries()) {
    total += price * quantity;
    items.push([demoId(placedAt, random), id, position, title, sku, quantity, price / 100]);
  }
  const steps = stepsTo(status, { placedAt, today: plan.today }, random);
  let previous: Status | null = null;
  let changedAt = placedAt;
  for (const { status: step, at, reason } of steps) {
    const refunded = step === 'refunded' ? total / 100 : null;
    history.push([demoId(at, random), id, step, previous, refunded, reason, new Date(at)]);
    previous = step;
    changedAt = at;
  }
  if (status !== 'cancelled' && status !== 'failed') plan.note(n, { total, placedAt });
  const refunded = status === 'refunded' ? total / 100 : 0;
  const note = random() < 0.03 ? 'Please leave it with the neighbour.' : null;
  const placed = new Date(placedAt);
  orders.push([
    ...[id, number, order_number, plan.customerId(n), status, currency, total / 100, refunded, note],
    ...[placed, placed, new Date(changedAt)],
  ]);
}

/** One to four different things, some of them far more often than others. */
function basketOf({ products }: DemoPlan, random: Random) {
  const shelf = products.length > 0 ? products : unnamed;
  const size = Math.min(1 + Math.floor(random() ** 2 * 4), shelf.length);
  const first = Math.floor(random() ** 1.5 * shelf.length);
  return Array.from({ length: size }, (_, index) => {
    const product = shelf[(first + index * 37) % shelf.length] as DemoProduct;
    return { ...product, quantity: random() < 0.8 ? 1 : 2 + Math.floor(random() * 3) };
  });
}

/** Takes so many numbers and gives the last; until the transaction ends nobody else takes any. */
async function takeNumbers(ctx: Ctx, count: number): Promise<number> {
  const row = await ctx.db.row<{ last: number }>(sql`UPDATE order_numbers SET last = last + ${count} RETURNING last`);
  if (!row) throw new Error('the table order_numbers has no row');
  return row.last;
}
