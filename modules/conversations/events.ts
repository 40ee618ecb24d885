import { type Ctx, defineEvent, type EventsOf, Nullable, Type, UserId } from '@chowk/kit';
import { ConversationRecord, MessageRecord, Status } from './schemas.ts';

const about = ({ conversation }: { conversation: ConversationRecord }) => conversation.id;

export const events = {
  'conversation.created': defineEvent({
    summary: 'A conversation was created',
    payload: Type.Object({ conversation: ConversationRecord }),
    about,
  }),
  'conversation.message_created': defineEvent({
    summary: 'A message or a note was added',
    payload: Type.Object({ conversation: ConversationRecord, message: MessageRecord }),
    about,
  }),
  'conversation.assigned': defineEvent({
    summary: 'A conversation was assigned to a member of the team, or unassigned',
    payload: Type.Object({ conversation: ConversationRecord, previous_assignee_id: Nullable(UserId) }),
    about,
  }),
  'conversation.status_changed': defineEvent({
    summary: 'The status of a conversation was changed',
    payload: Type.Object({ conversation: ConversationRecord, previous_status: Status }),
    about,
  }),
  'conversation.deleted': defineEvent({
    summary: 'A conversation was deleted',
    payload: Type.Object({ conversation: ConversationRecord }),
    about,
  }),
};

declare module '@chowk/kit/catalogue' {
  interface Events extends EventsOf<typeof events> {}
}

/** Emits events for a changed status and a changed assignee. */
export async function emitChanges(
  ctx: Ctx,
  { status, assignee_id }: ConversationRecord,
  conversation: ConversationRecord,
): Promise<void> {
  if (conversation.status !== status) {
    await ctx.emit('conversation.status_changed', { conversation, previous_status: status });
  }
  if (conversation.assignee_id !== assignee_id) {
    await ctx.emit('conversation.assigned', { conversation, previous_assignee_id: assignee_id });
  }
}
