import { type Ctx, sql } from '@chowk/kit';
import { deliverMessage } from './conversations.ts';
import { planDelivery } from './delivery.ts';
import type { Added } from './messages.ts';
import { readOpeningHours } from './opening-hours.ts';
import type { ConversationRecord } from './schemas.ts';

/**
 * Answers a message that came in outside the opening hours, in a locked conversation: once a day for a customer, so that two programs cannot
 * answer each other for ever, and never a message that a program wrote.
 */
export async function answerAutomatically(ctx: Ctx, { conversation, message }: Added): Promise<ConversationRecord> {
  const { 'conversations.closed_answer': body } = await ctx.settings();
  if (body === '' || message.is_automatic) return conversation;
  const { isOpen, date } = await readOpeningHours(ctx);
  if (isOpen) return conversation;
  const plan = await planDelivery(ctx, conversation);
  if (plan.channel === null || !(await claimAnswer(ctx, conversation, date))) return conversation;
  const added = await deliverMessage(ctx, conversation, { direction: 'outbound', body, is_automatic: true }, plan);
  await ctx.emit('conversation.message_created', added);
  return added.conversation;
}

/** Whether no conversation of the customer was answered today. */
async function claimAnswer(ctx: Ctx, { id, customer_id }: ConversationRecord, date: string): Promise<boolean> {
  const claimed = await ctx.db.run(sql`
    UPDATE conversations SET answered_on = ${date}
    WHERE id = ${id} AND NOT EXISTS (
      SELECT FROM conversations o WHERE o.customer_id = ${customer_id} AND o.answered_on = ${date})`);
  return claimed === 1;
}
