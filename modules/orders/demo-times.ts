import type { DemoPlan } from '@chowk/kit';

/** Who placed which order when, in the order of time: more orders as the shop grows, some by new customers. */
export function orderTimes(plan: DemoPlan) {
  const random = plan.random('order times');
  const start = plan.joinedAt(0);
  const span = plan.today - 1_000 - start;
  const count = Math.floor(plan.customers * 2.5);
  let joined = 1;
  const at = (index: number) => {
    const placedAt = Math.ceil((start + span * Math.sqrt((index + random()) / count)) / 1_000) * 1_000;
    while (joined < plan.customers && plan.joinedAt(joined) < placedAt) joined += 1;
    // Of those who come back, the first customers come most often.
    const share = random() < 0.25 ? 1 - random() ** 2 / 20 : random() ** 1.5;
    return { n: Math.min(joined - 1, Math.floor(joined * share)), placedAt };
  };
  return { count, at };
}
