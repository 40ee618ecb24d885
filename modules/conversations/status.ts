import { type Ctx, sql } from '@chowk/kit';
import { recordColumns } from './columns.ts';
import { getConversation } from './conversations.ts';
import { tellStatus } from './events.ts';
import { lockConversation } from './lock.ts';
import type { Conversation, ConversationRecord, Status } from './schemas.ts';

/** Opens, parks or closes a conversation. To close what is closed changes nothing. */
export async function changeStatus(
  ctx: Ctx,
  { id }: { id: string },
  { status }: { status: Status },
): Promise<Conversation> {
  return ctx.tx(async (tx) => {
    const current = await lockConversation(tx, id);
    if (status !== current.status) await tellStatus(tx, await writeStatus(tx, id, status), current.status);
    return getConversation(tx, { id });
  });
}

async function writeStatus(ctx: Ctx, id: string, status: Status): Promise<ConversationRecord> {
  return (await ctx.db.row<ConversationRecord>(sql`
    UPDATE conversations c SET status = ${status}, updated_at = ${ctx.now()} WHERE id = ${id}
    RETURNING ${recordColumns}`)) as ConversationRecord;
}
