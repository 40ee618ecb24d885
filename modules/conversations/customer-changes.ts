import { type Ctx, inTransaction, sql } from '@chowk/kit';
import { recordColumns } from './columns.ts';
import type { ConversationRecord } from './schemas.ts';

/* Changes of a customer that change its conversations too. */

async function moveConversations(ctx: Ctx, from: string, to: string): Promise<void> {
  const conversations = await ctx.db.rows<ConversationRecord>(sql`
    UPDATE conversations c SET customer_id = ${to}, updated_at = ${ctx.now()} WHERE customer_id = ${from}
    RETURNING ${recordColumns}`);
  await emitUpdated(ctx, conversations, ['customer_id']);
}

const emitUpdated = (ctx: Ctx, conversations: readonly ConversationRecord[], changed: string[]) =>
  ctx.emitAll(
    'conversation.updated',
    conversations.map((conversation) => ({ conversation, changed })),
  );

function findConversations(ctx: Ctx, customerId: string): Promise<ConversationRecord[]> {
  return ctx.db.rows<ConversationRecord>(sql`
    SELECT ${recordColumns} FROM conversations c WHERE customer_id = ${customerId} ORDER BY id`);
}

export const listeners = [
  inTransaction('customer.merging', 'move-conversations', (ctx, { primary, secondary }) =>
    moveConversations(ctx, secondary.id, primary.id),
  ),
  inTransaction('customer.erasing', 'delete-conversations', async (ctx, { id, mode }) => {
    if (mode !== 'hard') return;
    const conversations = await findConversations(ctx, id);
    await ctx.emitAll(
      'conversation.deleted',
      conversations.map((conversation) => ({ conversation })),
    );
  }),
  inTransaction('customer.deleted', 'anonymize-conversations', async (ctx, { id, mode }) => {
    if (mode !== 'anonymize') return;
    await ctx.db.run(sql`UPDATE conversations SET has_attachment = false WHERE customer_id = ${id} AND has_attachment`);
    await emitUpdated(ctx, await findConversations(ctx, id), ['subject']);
  }),
];
