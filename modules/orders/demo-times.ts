import type { DemoPlan, Random } from '@chowk/kit';

const day = 86_400;
/** Of customers in a key; see `timesOf`. */
const mostCustomers = 2 ** 22;
const mostOrders = 150;

interface Times {
  readonly count: number;
  at(index: number): { n: number; placedAt: number };
}

/**
 * When which customer has ordered, in the order of time. A key is the seconds since the first customer came with the
 * customer behind them: eight bytes an order, sorted as numbers.
 */
export function timesOf(plan: DemoPlan): Times {
  const start = Math.floor(plan.joinedAt(0) / 1_000);
  let count = 0;
  draw(plan, start, () => {
    count += 1;
  });
  const keys = new Float64Array(count);
  let filled = 0;
  draw(plan, start, (n, seconds) => {
    keys[filled++] = seconds * mostCustomers + n;
  });
  keys.sort();
  return {
    count,
    at(index) {
      const key = keys[index] ?? 0;
      const n = key % mostCustomers;
      return { n, placedAt: (start + (key - n) / mostCustomers) * 1_000 };
    },
  };
}

/** The same each time: a stream of random numbers begins anew. */
function draw(plan: DemoPlan, start: number, add: (n: number, seconds: number) => void): void {
  const random = plan.random('order times');
  const end = plan.today / 1_000 - start - 1;
  for (let n = 0; n < plan.customers; n += 1) {
    const joined = Math.ceil(plan.joinedAt(n) / 1_000) - start;
    const tenure = end - joined;
    if (tenure < 0) continue;
    const count = ordersOf(random, tenure / day);
    // Some stay for good, others have not been seen for long.
    const active = Math.min(tenure, 30 * day + tenure * random() ** 0.6);
    for (let index = 0; index < count; index += 1) {
      const since = index === 0 ? random() ** 3 * Math.min(active, 20 * day) : random() * active;
      add(n, joined + Math.floor(since));
    }
  }
}

/** A third has never ordered; of the others most once or twice, and a few very often, as far as there was time for it. */
function ordersOf(random: Random, days: number): number {
  const [buys, often] = [random() >= 1 / 3, random()];
  if (!buys) return 0;
  return Math.floor(Math.min((1 - often) ** (-1 / 1.12), mostOrders, 1 + days / 4));
}
