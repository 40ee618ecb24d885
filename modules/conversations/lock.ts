import { type Ctx, sql } from '@chowk/kit';
import { recordColumns } from './columns.ts';
import { fail } from './errors.ts';
import type { ConversationRecord } from './schemas.ts';

/**
 * The conversation, locked until the transaction ends. Its customer is locked before it, as everywhere: a merge, which
 * holds customers and wants their conversations, cannot meet us half way.
 */
export async function lockConversation(ctx: Ctx, id: string): Promise<ConversationRecord> {
  const found = await ctx.db.row<{ customer_id: string }>(sql`SELECT customer_id FROM conversations WHERE id = ${id}`);
  if (!found) throw fail('conversations.not_found', { id });
  await (await ctx.helpers('customers'))?.lock({ id: found.customer_id });
  const conversation = await ctx.db.row<ConversationRecord>(sql`
    SELECT ${recordColumns} FROM conversations c WHERE id = ${id} FOR NO KEY UPDATE`);
  if (!conversation) throw fail('conversations.not_found', { id });
  return conversation;
}
