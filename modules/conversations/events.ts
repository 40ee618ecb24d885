import { type Ctx, defineEvent, type EventTypes, Nullable, Type, UserId, Uuid } from '@chowk/kit';
import { ConversationRecord, MessageRecord, Status } from './schemas.ts';

const common = {
  subject: ({ conversation }: { conversation: ConversationRecord }) => conversation.id,
  needs: 'conversations.view',
};

export const events = {
  'conversation.created': defineEvent({
    ...common,
    summary: 'A conversation was created',
    payload: Type.Object({ conversation: ConversationRecord }),
    graphql: 'conversationCreated',
  }),
  'conversation.updated': defineEvent({
    ...common,
    summary: 'The subject or the customer of a conversation was changed, or it was snoozed or woken',
    payload: Type.Object({ conversation: ConversationRecord, changed: Type.Array(Type.String()) }),
    graphql: 'conversationUpdated',
  }),
  'conversation.message_created': defineEvent({
    ...common,
    summary: 'A message or a note was added',
    payload: Type.Object({ conversation: ConversationRecord, message: MessageRecord }),
    graphql: 'conversationMessageCreated',
  }),
  'conversation.message_updated': defineEvent({
    ...common,
    summary: 'A message to the customer was sent, delivered or read, or failed',
    payload: Type.Object({ conversation: ConversationRecord, message: MessageRecord }),
    graphql: 'conversationMessageUpdated',
  }),
  'conversation.assigned': defineEvent({
    ...common,
    summary: 'A conversation was assigned to a member of the team, or unassigned',
    payload: Type.Object({ conversation: ConversationRecord, previous_assignee_id: Nullable(UserId) }),
    graphql: 'conversationAssigned',
  }),
  'conversation.status_changed': defineEvent({
    ...common,
    summary: 'The status of a conversation was changed',
    payload: Type.Object({ conversation: ConversationRecord, previous_status: Status }),
    graphql: 'conversationStatusChanged',
  }),
  'conversation.merged': defineEvent({
    ...common,
    summary: 'The messages of another conversation were moved to a conversation',
    payload: Type.Object({ conversation: ConversationRecord, merged_id: Uuid }),
    graphql: 'conversationMerged',
  }),
  'conversation.deleted': defineEvent({
    ...common,
    summary: 'A conversation was deleted',
    payload: Type.Object({ conversation: ConversationRecord }),
    graphql: 'conversationDeleted',
  }),
};

declare module '@chowk/kit/catalogue' {
  interface Events extends EventTypes<typeof events> {}
}

const updatedFields = ['subject', 'is_snoozed', 'snoozed_until'] as const;

/** Emits events for a changed subject, snooze, status and assignee. */
export async function emitChanges(
  ctx: Ctx,
  before: ConversationRecord,
  conversation: ConversationRecord,
): Promise<void> {
  const { status, assignee_id } = before;
  const changed = updatedFields.filter((field) => conversation[field] !== before[field]);
  if (changed.length > 0) await ctx.emit('conversation.updated', { conversation, changed });
  if (conversation.status !== status) {
    await ctx.emit('conversation.status_changed', { conversation, previous_status: status });
  }
  if (conversation.assignee_id !== assignee_id) {
    await ctx.emit('conversation.assigned', { conversation, previous_assignee_id: assignee_id });
  }
}
