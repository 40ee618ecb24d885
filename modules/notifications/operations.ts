import { ById, operation, Type } from '@chowk/kit';
import { listTemplates, WhatsAppTemplates } from './messages/providers/twilio-templates.ts';
import { ChannelKey, ChannelState, checkChannel, ReplyMessage, ReplyResult, sendReply } from './messages/replies.ts';
import { markAsUnread } from './notifications.ts';
import { notify } from './notify.ts';
import { turnOffRulesSavedBy } from './rules/rules.ts';
import { Message } from './schemas.ts';

export const operations = {
  'notifications.notifyUsers': operation({
    summary: 'Notify users',
    description: 'Called by `ctx.notify`.',
    input: Message,
    run: notify,
  }),
  'notifications.turnOffRulesSavedBy': operation({
    summary: 'Turn off the rules that a user has saved since a time',
    input: Type.Object({ user_id: Type.Integer(), since: Type.String() }),
    output: Type.Integer(),
    run: turnOffRulesSavedBy,
  }),
  'notifications.checkChannel': operation({
    summary: 'Check whether messages to customers can be sent over a channel',
    input: ChannelKey,
    output: ChannelState,
    run: checkChannel,
  }),
  'notifications.listTemplates': operation({
    summary: 'List the templates that WhatsApp has approved',
    input: Type.Object({}),
    output: WhatsAppTemplates,
    run: listTemplates,
  }),
  'notifications.sendReply': operation({
    summary: 'Send a reply of a conversation',
    description:
      'Once for each id; one that failed is sent again. `skipped` is the reason if it is not sent. What becomes of it is ' +
      'emitted as `notification.message_changed`.',
    atomic: true,
    input: ReplyMessage,
    output: ReplyResult,
    run: sendReply,
  }),
  'notifications.markAsUnread': operation({ summary: 'Mark a notification as unread', input: ById, run: markAsUnread }),
};
