import { type Changes, type Ctx, sql } from '@chowk/kit';
import type { OrderPayment } from './payment-schemas.ts';
import type { Order } from './schemas.ts';
import type { Shipment } from './shipment-schemas.ts';

/* Payments and shipments in the history of an order: those that changed, before and after. */

type Payment = Pick<OrderPayment, 'id' | 'method' | 'amount' | 'status'>;

export function paymentChanges(before: readonly Payment[], after: readonly Payment[]): Changes {
  const describe = ({ id, method, amount, status }: Payment) => ({ id, method, amount, status });
  return { payments: [before.map(describe), after.map(describe)] };
}

/** `from`: the status before; a new shipment has none. */
export function shipmentChanges({ id, status }: Shipment, from?: Shipment['status']): Changes {
  return { shipments: [from ? [{ id, status: from }] : [], [{ id, status }]] };
}

/** For what changes no field of the order that has an entry of its own. */
export async function logChanges(
  ctx: Ctx,
  { id, status }: Pick<Order, 'id' | 'status'>,
  changes: Changes,
  reason: string | null = null,
): Promise<void> {
  await ctx.db.run(sql`
    INSERT INTO order_history (id, order_id, status, previous_status, changes, reason, user_id, at)
    VALUES (${ctx.newId()}, ${id}, ${status}, ${status}, ${changes}::jsonb, ${reason}, ${ctx.userId ?? null}, ${ctx.now()})`);
}
