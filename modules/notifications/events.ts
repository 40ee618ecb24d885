import { defineEvent, type EventTypes, Type } from '@chowk/kit';
import { MessageState, Notification } from './schemas.ts';

export const events = {
  'notification.created': defineEvent({
    summary: 'A notification of the user was created or repeated',
    payload: Type.Object({ notification: Notification }),
    recipient: ({ notification }) => notification.user_id,
    graphql: 'notificationCreated',
    needs: 'notifications.view',
  }),
  'notification.message_changed': defineEvent({
    summary: 'A message to a customer was sent, delivered or read, or an attempt failed',
    payload: Type.Object({ message: MessageState }),
    subject: ({ message }) => message.id,
    needs: 'notifications.send',
  }),
};

declare module '@chowk/kit/catalogue' {
  interface Events extends EventTypes<typeof events> {}
}
