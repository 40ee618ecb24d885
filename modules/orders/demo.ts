import { type Ctx, type Demo, type DemoPlan, type DemoProduct, demoId, fillTable, type Random, sql } from '@chowk/kit';
import { statusOf, stepsTo } from './demo-statuses.ts';
import { orderTimes } from './demo-times.ts';

/** Orders that are written together; few enough for little memory. */
const batchSize = 5_000;

/** What is sold without a catalogue. */
const unnamed: readonly DemoProduct[] = [
  { sku: 'ITEM-S', title: 'Small item', price: 19_900 },
  { sku: 'ITEM-L', title: 'Large item', price: 89_900 },
];

/** Orders in the order of time, so that numbers and ids ascend with it. */
export const demo: Demo = {
  after: ['products'],
  async fill(ctx, plan) {
    const { 'general.currency': currency, 'orders.number_prefix': prefix } = await ctx.settings();
    const { count, at } = orderTimes(plan);
    const first = await takeNumbers(ctx, count);
    const random = plan.random('orders');
    for (let from = 0; from < count; from += batchSize) {
      const made = Array.from({ length: Math.min(batchSize, count - from) }, (_, index) => {
        const number = first + from + index;
        return makeOrder(plan, random, { ...at(from + index), number, order_number: `${prefix}${number}`, currency });
      });
      await fillTable(
        ctx,
        'orders',
        made.map(({ order }) => order),
      );
      await fillTable(
        ctx,
        'order_items',
        made.flatMap(({ items }) => items),
      );
      await fillTable(
        ctx,
        'order_history',
        made.flatMap(({ history }) => history),
      );
    }
  },
};

type Given = { n: number; placedAt: number; number: number; order_number: string; currency: unknown };

function makeOrder(plan: DemoPlan, random: Random, { n, placedAt, ...given }: Given) {
  const id = demoId(placedAt, random);
  const status = statusOf(plan.today - placedAt, random);
  const items = makeItems(plan.products, random);
  const total = items.reduce((sum, { quantity, price }) => sum + quantity * price, 0);
  const refunded = status === 'refunded' ? total / 100 : 0;
  if (status !== 'cancelled' && status !== 'failed') plan.note(n, { total, placedAt });
  const steps = stepsTo(status, { placedAt, today: plan.today }, random);
  const note = random() < 0.03 ? 'Please leave it with the neighbour.' : null;
  const times = { placed_at: new Date(placedAt), created_at: new Date(placedAt), updated_at: steps.at(-1)?.at };
  return {
    order: {
      id,
      ...given,
      customer_id: plan.customerId(n),
      status,
      total: total / 100,
      refunded_total: refunded,
      note,
      ...times,
    },
    items: items.map((item, position) => {
      return { id: demoId(placedAt, random), order_id: id, position, ...item, price: item.price / 100 };
    }),
    history: steps.map((step) => {
      const amount = step.status === 'refunded' ? refunded : null;
      return { id: demoId(step.at.getTime(), random), order_id: id, refunded: amount, ...step };
    }),
  };
}

/** One to four different items, some of them far more often than others. */
function makeItems(products: readonly DemoProduct[], random: Random) {
  const shelf = products.length > 0 ? products : unnamed;
  const size = Math.min(1 + Math.floor(random() ** 2 * 4), shelf.length);
  const first = Math.floor(random() ** 1.5 * shelf.length);
  return Array.from({ length: size }, (_, position) => {
    const { sku, title: name, price } = shelf[(first + position * 37) % shelf.length] as DemoProduct;
    return { name, sku, price, quantity: random() < 0.8 ? 1 : 2 + Math.floor(random() * 3) };
  });
}

/** Takes so many numbers and returns the first; until the transaction ends nobody else takes any. */
async function takeNumbers(ctx: Ctx, count: number): Promise<number> {
  const row = await ctx.db.row<{ last: number }>(sql`UPDATE order_numbers SET last = last + ${count} RETURNING last`);
  if (!row) throw new Error('the table order_numbers has no row');
  return row.last - count + 1;
}
