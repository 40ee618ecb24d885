import {
  batches,
  type Ctx,
  type Demo,
  type DemoPlan,
  DemoTotals,
  demoId,
  fillTables,
  type Random,
  sql,
} from '@chowk/kit';
import type { DemoShares } from '@chowk/kit/catalogue';
import data from './demo-data.json' with { type: 'json' };
import { generateHistory, statusAt } from './demo-history.ts';
import { generatePayments } from './demo-payments.ts';
import { type DemoItem, demoPricing } from './demo-prices.ts';
import { generateShipments } from './demo-shipments.ts';

declare module '@chowk/kit/catalogue' {
  interface DemoShares {
    /** Totals by customer, in hundredths; filled while the orders are written. */
    orders: DemoTotals;
  }
}
type Products = DemoShares['products'];

/** Orders are written in the order of time, so that numbers and ids ascend with it. */
export const demo: Demo<DemoTotals> = {
  after: ['products', 'pricing'],
  share: ({ size }) => new DemoTotals(size),
  isEmpty: async (ctx) => (await ctx.db.row(sql`SELECT FROM orders LIMIT 1`)) === undefined,
  async fill(ctx, plan) {
    const [customers, totals] = [plan.shared('customers'), plan.shared('orders')];
    if (!customers || !totals) return;
    const { 'general.currency': currency, 'orders.number_prefix': prefix } = await ctx.settings();
    const count = Math.floor(customers.count * 2.5);
    const firstNumber = await takeNumbers(ctx, count);
    const generatePlacement = placements(plan, customers, count);
    const products = plan.shared('products') ?? data.products;
    const price = await demoPricing(ctx, { currency, products, random: plan.random('prices'), count });
    const generateOrder = orders(plan, products);
    for (const batch of batches(count)) {
      const generated: Awaited<ReturnType<typeof generateOrder>>[] = [];
      for (const index of batch) {
        const { customer, placedAt } = generatePlacement(index);
        const number = firstNumber + index;
        const keys = { number, order_number: `${prefix}${number}`, customer_id: customers.getId(customer), currency };
        const rows = await generateOrder(placedAt, keys, (items) => price(index, items));
        if (!['cancelled', 'failed'].includes(rows.order.status)) totals.add(customer, rows.total, placedAt);
        generated.push(rows);
      }
      await fillTables(ctx, {
        orders: generated.map(({ order }) => order),
        order_items: generated.flatMap(({ items }) => items),
        order_history: generated.flatMap(({ history }) => history),
        order_payments: generated.flatMap(({ payments }) => payments),
        order_refunds: generated.flatMap(({ refunds }) => refunds),
        order_shipments: generated.flatMap(({ shipments }) => shipments),
        order_shipment_items: generated.flatMap(({ units }) => units),
      });
    }
  },
};

/** The customer and the time of each order: more orders as the shop grows, a quarter of them by recent customers. */
function placements(plan: DemoPlan, customers: DemoShares['customers'], count: number) {
  const random = plan.random('placements');
  const start = customers.joinedAt(0);
  const span = plan.today - 1_000 - start;
  let joined = 1;
  return (index: number) => {
    const placedAt = Math.ceil((start + span * Math.sqrt((index + random()) / count)) / 1_000) * 1_000;
    while (joined < customers.count && customers.joinedAt(joined) < placedAt) joined += 1;
    const share = random() < 0.25 ? 1 - random() ** 2 / 20 : random() ** 1.5;
    return { customer: Math.min(joined - 1, Math.floor(joined * share)), placedAt };
  };
}

type PriceItems = (items: readonly DemoItem[]) => ReturnType<Awaited<ReturnType<typeof demoPricing>>>;

function orders({ today, random: stream }: DemoPlan, products: Products) {
  const [random, paymentRandom] = [stream('orders'), stream('payments')];
  const shipping = stream('shipments');
  return async (placedAt: number, keys: { readonly order_number: string }, priceItems: PriceItems) => {
    const id = demoId(placedAt, random);
    const status = statusAt(today - placedAt, random);
    const { total, items, order } = await priceItems(generateItems(products, random));
    const refunded_total = status === 'refunded' ? total / 100 : 0;
    const steps = generateHistory(status, placedAt, today, random);
    const { method, paid, ...money } = generatePayments({ id, status, total, placedAt, steps }, paymentRandom);
    const note = random() < 0.03 ? 'Please leave it with the neighbour.' : null;
    const times = { placed_at: new Date(placedAt), created_at: new Date(placedAt), updated_at: steps.at(-1)?.at };
    const rows = items.map((item, position) => {
      return { id: demoId(placedAt, random), order_id: id, position, ...item };
    });
    const { shipped, fulfillment_status, shipments, units } = generateShipments(id, rows, steps, shipping);
    return {
      total,
      shipments,
      units,
      order: {
        id,
        ...keys,
        status,
        fulfillment_status,
        total: total / 100,
        ...order,
        paid_total: paid,
        refunded_total,
        payment_method: method,
        note,
        ...times,
      },
      ...money,
      items: rows.map((row) => ({ ...row, shipped_quantity: shipped.includes(row) ? row.quantity : 0 })),
      history: steps.map((step) => {
        const refunded = step.status === 'refunded' ? refunded_total : null;
        return { id: demoId(step.at.getTime(), random), order_id: id, refunded, ...step };
      }),
    };
  };
}

/** One to four different items; the first products sell best. */
function generateItems(products: Products, random: Random): DemoItem[] {
  const size = Math.min(1 + Math.floor(random() ** 2 * 4), products.length);
  const first = Math.floor(random() ** 1.5 * products.length);
  return Array.from({ length: size }, (_, position) => {
    const { sku, title, price } = products[(first + position * 37) % products.length] as Products[number];
    return { name: title, sku, price, quantity: random() < 0.8 ? 1 : 2 + Math.floor(random() * 3) };
  });
}

/** Takes consecutive numbers and returns the first; other transactions wait until this one ends. */
async function takeNumbers(ctx: Ctx, count: number): Promise<number> {
  const row = await ctx.db.row<{ first: number }>(sql`
    UPDATE order_numbers SET last = last + ${count} RETURNING last - ${count} + 1 AS first`);
  return row?.first as number;
}
