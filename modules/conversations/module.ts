import { defineModule, type OperationTypes } from '@chowk/kit';
import { actions } from './actions.ts';
import { listeners } from './customer-changes.ts';
import { demo } from './demo.ts';
import { errors } from './errors.ts';
import { events } from './events.ts';

export const module = defineModule({
  actions,
  events,
  listeners,
  notifications: { 'conversation.assigned': { description: 'A conversation was assigned to you' } },
  errors,
  demo,
});

declare module '@chowk/kit/catalogue' {
  interface Operations {
    conversations: OperationTypes<typeof actions>;
  }
}
