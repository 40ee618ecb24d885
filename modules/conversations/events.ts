import type { Ctx } from '@chowk/kit';
import type { ConversationRecord, MessageRecord, Status } from './schemas.ts';

declare module '@chowk/kit/catalogue' {
  interface Events {
    'conversation.created': { conversation: ConversationRecord };
    'conversation.message_created': { conversation: ConversationRecord; message: MessageRecord };
    'conversation.assigned': { conversation: ConversationRecord; previous_assignee_id: number | null };
    'conversation.status_changed': { conversation: ConversationRecord; previous_status: Status };
    'conversation.deleted': { conversation: ConversationRecord };
  }
}

/** Emits events for a changed status and a changed assignee. */
export async function emitChanges(
  ctx: Ctx,
  { status, assignee_id }: ConversationRecord,
  conversation: ConversationRecord,
): Promise<void> {
  const about = conversation.id;
  if (conversation.status !== status) {
    await ctx.emit('conversation.status_changed', { conversation, previous_status: status }, { about });
  }
  if (conversation.assignee_id !== assignee_id) {
    await ctx.emit('conversation.assigned', { conversation, previous_assignee_id: assignee_id }, { about });
  }
}
