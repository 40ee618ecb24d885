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

export function tellCreated(ctx: Ctx, conversation: ConversationRecord): Promise<void> {
  return ctx.emit('conversation.created', { conversation }, { about: conversation.id });
}

export function tellMessage(ctx: Ctx, conversation: ConversationRecord, message: MessageRecord): Promise<void> {
  return ctx.emit('conversation.message_created', { conversation, message }, { about: conversation.id });
}

export function tellAssigned(ctx: Ctx, conversation: ConversationRecord, previous: number | null): Promise<void> {
  const payload = { conversation, previous_assignee_id: previous };
  return ctx.emit('conversation.assigned', payload, { about: conversation.id });
}

/** Nothing, where the status is what it was. */
export async function tellStatus(ctx: Ctx, conversation: ConversationRecord, previous: Status): Promise<void> {
  if (conversation.status === previous) return;
  const payload = { conversation, previous_status: previous };
  await ctx.emit('conversation.status_changed', payload, { about: conversation.id });
}

export function tellDeleted(ctx: Ctx, conversation: ConversationRecord): Promise<void> {
  return ctx.emit('conversation.deleted', { conversation }, { about: conversation.id });
}
