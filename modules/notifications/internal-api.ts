import { ById, type HelpersOf, helper } from '@chowk/kit';
import { markAsUnread } from './notifications.ts';
import { Message } from './schemas.ts';
import { send } from './send.ts';

export const helpers = {
  send: helper({
    summary: 'Notify users',
    description: 'Called by `ctx.notify`.',
    input: Message,
    run: send,
  }),
  markAsUnread: helper({ summary: 'Mark a notification as unread', input: ById, run: markAsUnread }),
};

declare module '@chowk/kit/catalogue' {
  interface Helpers {
    notifications: HelpersOf<typeof helpers>;
  }
}
