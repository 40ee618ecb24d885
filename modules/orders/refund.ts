import { type Ctx, invalid, toMoney } from '@chowk/kit';
import { amountRule, fromCents, toCents } from './amounts.ts';
import { tellUpdated } from './events.ts';
import { log } from './history.ts';
import { lockOrder } from './orders.ts';
import type { Order, Refund } from './schemas.ts';
import { mustBePossible } from './transitions.ts';
import { enter, write } from './update.ts';

/** Gives back an amount, or all that is left; an order of which nothing is left is refunded. */
export async function refundOrder(ctx: Ctx, { id }: { id: string }, { amount, reason }: Refund): Promise<Order> {
  const given = amount === undefined ? undefined : readGiven(amount);
  return ctx.tx(async (tx) => {
    const current = await lockOrder(tx, id);
    const { status, total, refunded_total } = current;
    if (status === 'refunded') throw invalid({ status: ['The order is refunded already; nothing is left of it.'] });
    const rest = toCents(total) - toCents(refunded_total);
    if (given === undefined) return enter(tx, current, { status: 'refunded', reason });
    mustBePossible(tx, status, 'refunded');
    if (given > rest) throw invalid({ amount: [`The amount must be at most ${fromCents(rest)}, which is left.`] });
    if (given === rest) return enter(tx, current, { status: 'refunded', reason });
    return refundPart(tx, current, given, reason);
  });
}

async function refundPart(ctx: Ctx, current: Order, cents: bigint, reason: string | undefined): Promise<Order> {
  const order = await write(ctx, { ...current, refunded_total: fromCents(toCents(current.refunded_total) + cents) });
  await log(ctx, order, { previous_status: order.status, refunded: fromCents(cents), reason: reason ?? null });
  await tellUpdated(ctx, order, ['refunded_total']);
  return order;
}

function readGiven(amount: string | number): bigint {
  const money = toMoney(amount);
  if (money === undefined) throw invalid({ amount: [`The amount ${amountRule}`] });
  const cents = toCents(money);
  if (cents === 0n) throw invalid({ amount: ['The amount must be more than 0.'] });
  return cents;
}
