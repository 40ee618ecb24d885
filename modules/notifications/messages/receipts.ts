import { type Ctx, sql } from '@chowk/kit';
import type { MessageState } from '../schemas.ts';

/** What a provider reports about a message that it has accepted. */
export interface Receipt {
  readonly provider: 'twilio' | 'webhook';
  readonly provider_message_id: string;
  readonly status: 'delivered' | 'read' | 'failed';
  readonly reason: string | null;
}

/** Receipts may come late, twice and in any order: the furthest one counts, and a message that arrived has not failed. */
export async function recordReceipt(ctx: Ctx, receipt: Receipt): Promise<void> {
  const { provider, provider_message_id, status, reason } = receipt;
  const now = ctx.now();
  const isOf = sql`provider = ${provider} AND provider_message_id = ${provider_message_id} AND read_at IS NULL`;
  await ctx.tx(async (tx) => {
    const changed = await tx.db.rows<{ id: string }>(
      status === 'failed'
        ? sql`UPDATE messages SET status = 'failed', reason = ${reason}, updated_at = ${now}
            WHERE ${isOf} AND status = 'sent' AND delivered_at IS NULL RETURNING id`
        : sql`UPDATE messages SET status = 'sent', reason = NULL, delivered_at = coalesce(delivered_at, ${now}),
              read_at = ${status === 'read' ? now : null}::timestamptz, updated_at = ${now}
            WHERE ${isOf} AND (delivered_at IS NULL OR ${status === 'read'}) RETURNING id`,
    );
    for (const { id } of changed) await emitStatus(tx, id);
  });
}

export async function emitStatus(ctx: Ctx, id: string): Promise<void> {
  const message = (await ctx.db.row<MessageState>(sql`
    SELECT id, channel, customer_id, reason,
      CASE WHEN read_at IS NOT NULL THEN 'read' WHEN delivered_at IS NOT NULL THEN 'delivered' ELSE status END AS status
    FROM messages WHERE id = ${id}`)) as MessageState;
  await ctx.emit('notification.message_changed', { message });
}
