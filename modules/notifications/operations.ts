import { ById, operation } from '@chowk/kit';
import { markAsUnread } from './notifications.ts';
import { Message } from './schemas.ts';
import { send } from './send.ts';

export const operations = {
  'notifications.notifyUsers': operation({
    summary: 'Notify users',
    description: 'Called by `ctx.notify`.',
    input: Message,
    run: send,
  }),
  'notifications.markAsUnread': operation({ summary: 'Mark a notification as unread', input: ById, run: markAsUnread }),
};
