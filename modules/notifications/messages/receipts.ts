import { type Ctx, sql } from '@chowk/kit';
import type { MessageState } from '../schemas.ts';

/** What a provider reports about a message. */
export interface Receipt {
  readonly id: string;
  readonly provider: 'mail' | 'twilio' | 'webhook';
  readonly status: 'delivered' | 'read' | 'failed';
  readonly reason: string | null;
}

/**
 * Receipts may come late, twice and in any order, also before the provider's response is recorded: the furthest one counts, and
 * a message that arrived has not failed.
 */
export async function recordReceipt(ctx: Ctx, { id, provider, status, reason }: Receipt): Promise<void> {
  const now = ctx.now();
  const isOpen = sql`id = ${id} AND provider = ${provider} AND read_at IS NULL`;
  await ctx.tx(async (tx) => {
    const changed = await tx.db.run(
      status === 'failed'
        ? sql`UPDATE messages SET status = 'failed', reason = ${reason}, updated_at = ${now}
            WHERE ${isOpen} AND status IN ('queued', 'sent') AND delivered_at IS NULL`
        : sql`UPDATE messages SET status = 'sent', reason = NULL, sent_at = coalesce(sent_at, ${now}),
              delivered_at = coalesce(delivered_at, ${now}), read_at = ${status === 'read' ? now : null}::timestamptz,
              updated_at = ${now}
            WHERE ${isOpen} AND status <> 'skipped' AND (delivered_at IS NULL OR ${status === 'read'})`,
    );
    if (changed === 0) return;
    const message = await emitStatus(tx, id);
    if (status === 'failed') await notifyFailed(tx, message);
  });
}

export async function emitStatus(ctx: Ctx, id: string): Promise<FailedMessage> {
  const { is_reply, ...message } = (await ctx.db.row<MessageState & { is_reply: boolean }>(sql`
    SELECT id, channel, customer_id, reason, is_reply,
      CASE WHEN read_at IS NOT NULL THEN 'read' WHEN delivered_at IS NOT NULL THEN 'delivered' ELSE status END AS status
    FROM messages WHERE id = ${id}`)) as MessageState & { is_reply: boolean };
  await ctx.emit('notification.message_changed', { message });
  return { ...message, is_reply };
}

type FailedMessage = Pick<MessageState, 'id' | 'channel' | 'customer_id' | 'reason'> & { readonly is_reply: boolean };

/** Tells the team, except of replies: the conversations module knows whose they are. */
export async function notifyFailed(ctx: Ctx, message: FailedMessage): Promise<void> {
  const { id, channel, customer_id, reason, is_reply } = message;
  if (is_reply) return;
  const kind = channel === 'email' ? 'Email' : channel === 'sms' ? 'SMS' : 'WhatsApp message';
  await ctx.notify('members', {
    type: 'message.failed',
    title: `${kind} to ${customer_id === null ? 'a customer' : '{{customer_name}}'} was not delivered`,
    body: reason,
    severity: 'error',
    icon: 'AlertTriangle',
    action_url: customer_id && `/customers/${customer_id}`,
    data: { message_id: id },
    group_key: 'message.failed',
    customer_id,
  });
}
