import type { DemoPlan, Random } from '@chowk/kit';

const day = 86_400;
/** More than a plan can have; see `timesOf`. */
const mostCustomers = 2 ** 22;
const mostOrders = 150;

/**
 * When which customer has ordered, in the order of time. A key is the seconds since the first customer joined, followed
 * by the customer: eight bytes an order, sorted as numbers.
 */
export function timesOf(plan: DemoPlan) {
  const start = Math.floor(plan.joinedAt(0) / 1_000);
  let count = 0;
  for (const _ of keysOf(plan, start)) count += 1;
  const keys = new Float64Array(count);
  let filled = 0;
  for (const key of keysOf(plan, start)) keys[filled++] = key;
  keys.sort();
  const at = (index: number) => {
    const key = keys[index] ?? 0;
    const n = key % mostCustomers;
    return { n, placedAt: (start + (key - n) / mostCustomers) * 1_000 };
  };
  return { count, at };
}

/** The same each time: the stream of random numbers starts again. */
function* keysOf(plan: DemoPlan, start: number): Generator<number> {
  const random = plan.random('order times');
  const end = plan.today / 1_000 - start - 1;
  for (let n = 0; n < plan.customers; n += 1) {
    const joined = Math.ceil(plan.joinedAt(n) / 1_000) - start;
    const tenure = end - joined;
    if (tenure < 0) continue;
    const count = ordersOf(random, tenure / day);
    // Some stay for good, others stopped ordering long ago.
    const active = Math.min(tenure, 30 * day + tenure * random() ** 0.6);
    for (let index = 0; index < count; index += 1) {
      const since = index === 0 ? random() ** 3 * Math.min(active, 20 * day) : random() * active;
      yield (joined + Math.floor(since)) * mostCustomers + n;
    }
  }
}

/** A third has never ordered; most others once or twice, a few very often, as far as there was time for it. */
function ordersOf(random: Random, days: number): number {
  const [buys, often] = [random() >= 1 / 3, random()];
  if (!buys) return 0;
  return Math.floor(Math.min((1 - often) ** (-1 / 1.12), mostOrders, 1 + days / 4));
}
