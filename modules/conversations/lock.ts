import { type Ctx, sql } from '@chowk/kit';
import { recordColumns } from './columns.ts';
import { fail } from './errors.ts';
import type { ConversationRecord } from './schemas.ts';

type Key = { readonly id: string };

/** The id of the conversation's customer; 404 if there is no such conversation. */
export async function customerOf(ctx: Ctx, { id }: Key): Promise<string> {
  const row = await ctx.db.row<{ customer_id: string }>(sql`SELECT customer_id FROM conversations WHERE id = ${id}`);
  if (!row) throw fail('conversations.not_found', { id });
  return row.customer_id;
}

/** Locks the customer before its conversation: a merge, which takes the same locks in this order, cannot deadlock. */
export async function lockConversation(ctx: Ctx, { id }: Key): Promise<ConversationRecord> {
  const customerId = await customerOf(ctx, { id });
  await (await ctx.helpers('customers'))?.lock({ id: customerId });
  const conversation = await ctx.db.row<ConversationRecord>(sql`
    SELECT ${recordColumns} FROM conversations c WHERE id = ${id} FOR NO KEY UPDATE`);
  if (!conversation) throw fail('conversations.not_found', { id });
  return conversation;
}
