import { ById, operation, Type } from '@chowk/kit';
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
  'notifications.markAsUnread': operation({ summary: 'Mark a notification as unread', input: ById, run: markAsUnread }),
};
