import { ById, extend, operation, Type, Uuid } from '@chowk/kit';
import { listTemplates, WhatsAppTemplates } from './messages/providers/twilio-templates.ts';
import { recordReceipt } from './messages/receipts.ts';
import { ChannelKey, ChannelState, checkChannel, ReplyMessage, ReplyResult, sendReply } from './messages/replies.ts';
import { markAsUnread } from './notifications.ts';
import { notify } from './notify.ts';
import {
  ConditionCheck,
  checkEventConditions,
  EventConditions,
  meetsEventConditions,
} from './rules/event-conditions.ts';
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
  'notifications.checkConditions': operation({
    summary: 'Check conditions on the fields of an event',
    description: 'Returns the errors by field; `null` if there are none.',
    input: EventConditions,
    output: ConditionCheck,
    run: checkEventConditions,
  }),
  'notifications.meetsConditions': operation({
    summary: 'Check whether an event meets conditions',
    input: extend(EventConditions, { payload: Type.Unknown() }),
    output: Type.Boolean(),
    run: meetsEventConditions,
  }),
  'notifications.recordBounce': operation({
    summary: 'Record that a mail was returned',
    description: 'A message that is not known or has failed already is not changed.',
    atomic: true,
    input: Type.Object({ id: Uuid, reason: Type.String() }),
    run: (ctx, { id, reason }) => recordReceipt(ctx, { id, provider: 'mail', status: 'failed', reason }),
  }),
  'notifications.markAsUnread': operation({ summary: 'Mark a notification as unread', input: ById, run: markAsUnread }),
};
