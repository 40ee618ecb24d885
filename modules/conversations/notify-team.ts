import { afterCommit, type Ctx } from '@chowk/kit';
import { findMentions } from './mentions.ts';
import { findMembers } from './people.ts';
import type { ConversationRecord, MessageRecord } from './schemas.ts';

/** What members of the team hear about conversations. */
export const notifications = {
  'conversation.assigned': {
    description: 'A conversation was assigned to you',
    needs: 'conversations.view',
  },
  'conversation.message_received': {
    description: 'A customer wrote in a conversation that is yours or unassigned',
    needs: 'conversations.view',
    defaultFor: 'conversations.reply',
    several: { title: '{count} new messages from customers', action_url: '/conversations' },
  },
  'conversation.mentioned': {
    description: 'A colleague mentioned you in a note',
    needs: 'conversations.view',
  },
  'conversation.reply_failed': {
    description: 'A reply of yours, or in a conversation of yours, was not delivered',
    needs: 'conversations.view',
    defaultFor: 'conversations.reply',
    several: { title: '{count} replies were not delivered', action_url: '/conversations?failed=true' },
  },
  'conversation.snooze_ended': {
    description: 'A conversation of yours that was snoozed is due',
    needs: 'conversations.view',
  },
};

interface Added {
  readonly conversation: ConversationRecord;
  readonly message: MessageRecord;
}

export const teamListeners = [
  afterCommit('conversation.message_created', 'notify-team', async (ctx, added) => {
    if (added.message.direction === 'inbound' && !added.message.is_automatic) await notifyReceived(ctx, added);
    if (added.message.direction === 'note') await notifyMentioned(ctx, added);
  }),
  afterCommit('conversation.message_updated', 'notify-failed', async (ctx, changed) => {
    if (changed.message.delivery_status === 'failed') await notifyFailed(ctx, changed);
  }),
];

/** The assignee; without one, or after the assignee has left, all who may answer. */
async function notifyReceived(ctx: Ctx, { conversation, message }: Added): Promise<void> {
  const { assignee_id } = conversation;
  const isAssigned = (await findMembers(ctx, [assignee_id])).has(assignee_id);
  if (isAssigned && message.user_id === assignee_id) return;
  await ctx.notify(isAssigned ? [assignee_id as number] : 'members', {
    ...linkTo(conversation),
    type: 'conversation.message_received',
    title: 'New message from {{customer_name}}',
    group_key: 'conversation.message_received',
  });
}

/** The author and the assignee; without them, all who may answer. */
async function notifyFailed(ctx: Ctx, { conversation, message }: Added): Promise<void> {
  const concerned = [...(await findMembers(ctx, [message.user_id, conversation.assignee_id])).values()];
  await ctx.notify(concerned.length > 0 ? concerned.map(({ id }) => id) : 'members', {
    ...linkTo(conversation),
    type: 'conversation.reply_failed',
    title: 'A reply to {{customer_name}} was not delivered',
    body: message.delivery_reason,
    severity: 'error',
    icon: 'AlertTriangle',
    action_label: 'Open the conversation',
    group_key: 'conversation.reply_failed',
  });
}

async function notifyMentioned(ctx: Ctx, { conversation, message }: Added): Promise<void> {
  const mentioned = (await findMentions(ctx, [message.id])).filter(({ user_id }) => user_id !== message.user_id);
  if (mentioned.length === 0) return;
  await ctx.notify(
    mentioned.map(({ user_id }) => user_id),
    {
      ...linkTo(conversation),
      type: 'conversation.mentioned',
      title: 'You were mentioned in a note about {{customer_name}}',
    },
  );
}

export function linkTo({ id, customer_id }: ConversationRecord) {
  return { icon: 'MessageSquare', action_url: `/conversations/${id}`, data: { conversation_id: id }, customer_id };
}
