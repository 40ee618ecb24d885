import { defineEvent, type EventTypes, Type } from '@chowk/kit';
import { Notification } from './schemas.ts';

export const events = {
  'notification.created': defineEvent({
    summary: 'A notification of the user was created or repeated',
    payload: Type.Object({ notification: Notification }),
    recipient: ({ notification }) => notification.user_id,
    graphql: 'notificationCreated',
    needs: 'notifications.view',
  }),
};

declare module '@chowk/kit/catalogue' {
  interface Events extends EventTypes<typeof events> {}
}
