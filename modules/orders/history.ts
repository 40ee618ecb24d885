import { type Ctx, sql } from '@chowk/kit';
import type { HistoryEntry, Order } from './schemas.ts';

type Event = Partial<Pick<HistoryEntry, 'previous_status' | 'refunded' | 'reason'>>;

/** Writes down what has become of an order. */
export async function log(ctx: Ctx, { id, status }: Order, event: Event): Promise<void> {
  const { previous_status = null, refunded = null, reason = null } = event;
  await ctx.db.run(sql`
    INSERT INTO order_history (id, order_id, status, previous_status, refunded, reason, user_id, at)
    VALUES (${ctx.newId()}, ${id}, ${status}, ${previous_status}, ${refunded}, ${reason}, ${ctx.userId ?? null},
      ${ctx.now()})`);
}

/** What has happened to an order, in order. */
export function historyOf(ctx: Ctx, id: string): Promise<HistoryEntry[]> {
  return ctx.db.rows<HistoryEntry>(sql`
    SELECT id, status, previous_status, refunded, reason, user_id, at FROM order_history
    WHERE order_id = ${id} ORDER BY at, id`);
}
