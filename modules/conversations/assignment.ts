import { type Ctx, invalid, sql } from '@chowk/kit';
import { recordColumns } from './columns.ts';
import { getConversation } from './conversations.ts';
import { tellAssigned } from './events.ts';
import { lockConversation } from './lock.ts';
import { membersOf } from './people.ts';
import type { Assignment, Conversation, ConversationRecord } from './schemas.ts';

/** Says who takes care of a conversation: a member of the team, or nobody. */
export async function assign(ctx: Ctx, { id }: { id: string }, { assignee_id }: Assignment): Promise<Conversation> {
  // Asked before the transaction, so that it holds nothing while the central database is asked.
  const known = await membersOf(ctx, [assignee_id]);
  return ctx.tx(async (tx) => {
    const current = await lockConversation(tx, id);
    if (assignee_id !== null && !known.has(assignee_id)) {
      throw invalid({ assignee_id: [`The team has no member ${assignee_id}.`] });
    }
    if (assignee_id !== current.assignee_id) {
      await tellAssigned(tx, await writeAssignee(tx, id, assignee_id), current.assignee_id);
    }
    return getConversation(tx, { id });
  });
}

async function writeAssignee(ctx: Ctx, id: string, assigneeId: number | null): Promise<ConversationRecord> {
  return (await ctx.db.row<ConversationRecord>(sql`
    UPDATE conversations c SET assignee_id = ${assigneeId}, updated_at = ${ctx.now()} WHERE id = ${id}
    RETURNING ${recordColumns}`)) as ConversationRecord;
}
