import { defineEvent, type EventTypes, Type } from '@chowk/kit';
import { Webhook } from './schemas.ts';

export const events = {
  'webhook.disabled': defineEvent({
    summary: 'A webhook was disabled because its deliveries failed',
    payload: Type.Object({ webhook: Webhook }),
    subject: ({ webhook }) => webhook.id,
    needs: 'settings.api_clients',
  }),
};

declare module '@chowk/kit/catalogue' {
  interface Events extends EventTypes<typeof events> {}
}
