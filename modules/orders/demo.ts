import { type Ctx, type Demo, type DemoProduct, demoId, type Random, sql } from '@chowk/kit';
import { statusOf, stepsTo } from './demo-statuses.ts';
import { timesOf } from './demo-times.ts';

/** Orders that are written together; few enough for little memory. */
const batchSize = 5_000;

/** What is sold without a catalogue. */
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

/** Orders in the order of time, so that numbers and ids ascend with it. */
export const demo: Demo = {
  after: ['products'],
  async fill(ctx, plan) {
    const times = timesOf(plan);
    const { 'general.currency': currency, 'orders.number_prefix': prefix } = await ctx.settings();
    const first = await takeNumbers(ctx, times.count);
    const random = plan.random('orders');
    for (let from = 0; from < times.count; from += batchSize) {
      const [items, history]: [Row[], Row[]] = [[], []];
      // A generator: PostgreSQL writes some while the next are made.
      const orders = function* (): Generator<Row> {
        for (let index = from; index < Math.min(from + batchSize, times.count); index += 1) {
          const { n, placedAt } = times.at(index);
          const status = statusOf(plan.today - placedAt, random);
          const id = demoId(placedAt, random);
          const total = addItems(items, plan.products, random, id, placedAt);
          const refunded = status === 'refunded' ? total / 100 : 0;
          let [previous, changedAt]: [string | null, number] = [null, placedAt];
          for (const { status: step, at, reason } of stepsTo(status, { placedAt, today: plan.today }, random)) {
            const amount = step === 'refunded' ? refunded : null;
            history.push([demoId(at, random), id, step, previous, amount, reason, new Date(at)]);
            [previous, changedAt] = [step, at];
          }
          if (status !== 'cancelled' && status !== 'failed') plan.note(n, { total, placedAt });
          const note = random() < 0.03 ? 'Please leave it with the neighbour.' : null;
          const [number, placed] = [first + index, new Date(placedAt).toISOString()];
          const key = [id, number, `${prefix}${number}`, plan.customerId(n), status, currency, total / 100, refunded];
          yield [...key, note, placed, placed, new Date(changedAt)];
        }
      };
      await ctx.db.copy('orders', orderColumns, orders());
      await ctx.db.copy('order_items', itemColumns, items);
      await ctx.db.copy('order_history', historyColumns, history);
    }
  },
};

/** Adds one to four different items, some of them far more often than others; returns what they cost. */
function addItems(items: Row[], products: readonly DemoProduct[], random: Random, id: string, placedAt: number) {
  const shelf = products.length > 0 ? products : unnamed;
  const size = Math.min(1 + Math.floor(random() ** 2 * 4), shelf.length);
  const first = Math.floor(random() ** 1.5 * shelf.length);
  let total = 0;
  for (let position = 0; position < size; position += 1) {
    const { sku, title, price } = shelf[(first + position * 37) % shelf.length] as DemoProduct;
    const quantity = random() < 0.8 ? 1 : 2 + Math.floor(random() * 3);
    total += price * quantity;
    items.push([demoId(placedAt, random), id, position, title, sku, quantity, price / 100]);
  }
  return total;
}

/** Takes so many numbers and returns the first; until the transaction ends nobody else takes any. */
async function takeNumbers(ctx: Ctx, count: number): Promise<number> {
  const row = await ctx.db.row<{ last: number }>(sql`UPDATE order_numbers SET last = last + ${count} RETURNING last`);
  if (!row) throw new Error('the table order_numbers has no row');
  return row.last - count + 1;
}
