import { defineEvent, type EventsOf, Type } from '@chowk/kit';

export const events = {
  'settings.changed': defineEvent({
    summary: 'Settings of the tenant were changed; `keys` lists them',
    payload: Type.Object({ keys: Type.Array(Type.String()) }),
  }),
};

declare module '@chowk/kit/catalogue' {
  interface Events extends EventsOf<typeof events> {}
}
