import { defineModule, type OperationTypes } from '@chowk/kit';
import { actions } from './actions.ts';
import { listeners } from './customer-changes.ts';
import { demo } from './demo.ts';
import { errors } from './errors.ts';
import { events } from './events.ts';
import { notifications, teamListeners } from './notify-team.ts';

export const module = defineModule({
  actions,
  events,
  listeners: [...listeners, ...teamListeners],
  notifications,
  errors,
  demo,
});

declare module '@chowk/kit/catalogue' {
  interface Operations {
    conversations: OperationTypes<typeof actions>;
  }
}
