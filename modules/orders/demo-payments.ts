import { demoId, pickByShare, type Random } from '@chowk/kit';
import data from './demo-data.json' with { type: 'json' };
import type { generateHistory } from './demo-history.ts';
import type { Status } from './schemas.ts';

interface DemoOrder {
  readonly id: string;
  readonly status: Status;
  /** In hundredths. */
  readonly total: number;
  readonly placedAt: number;
  readonly steps: ReturnType<typeof generateHistory>;
}

const minute = 60_000;
const taken: ReadonlySet<Status> = new Set(['shipped', 'delivered', 'refunded']);

/** How an order was paid, and its refund: on delivery, or a few minutes after it was placed. */
export function generatePayments({ id, status, total, placedAt, steps }: DemoOrder, random: Random) {
  const method = pickByShare(random, data.methods);
  const last = steps.at(-1)?.at as Date;
  const isOnDelivery = method === 'cash_on_delivery';
  const isPaid = isOnDelivery ? ['delivered', 'refunded'].includes(status) : isPaidBefore(status, random);
  const isDeposit = isPaid && !taken.has(status) && random() < 0.1;
  const at = isOnDelivery
    ? last
    : new Date(Math.min(placedAt + minute * (1 + Math.floor(random() * 20)), last.getTime()));
  const amount = (isDeposit ? Math.ceil(total / 2) : total) / 100;
  const common = { order_id: id, amount, status: 'succeeded', created_at: at };
  const payment = { id: demoId(at.getTime(), random), method, paid_at: at, updated_at: at, ...common };
  const reason = steps.at(-1)?.reason ?? null;
  const refund = { ...common, id: demoId(last.getTime(), random), payment_id: payment.id, reason, created_at: last };
  return {
    method,
    paid: isPaid ? amount : 0,
    payments: isPaid && amount > 0 ? [payment] : [],
    refunds: status === 'refunded' && amount > 0 ? [refund] : [],
  };
}

/** Most customers pay at once; some of those who have not confirmed their order have not. */
function isPaidBefore(status: Status, random: Random): boolean {
  if (status === 'cancelled' || status === 'failed') return false;
  return taken.has(status) || random() < (status === 'pending' ? 0.5 : 0.9);
}
