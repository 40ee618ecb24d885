import { defineModule, type OperationTypes } from '@chowk/kit';
import { actions } from './actions.ts';
import { demo } from './demo.ts';
import { errors } from './errors.ts';
import { events } from './events.ts';
import { notifications } from './notify-team.ts';
import { operations } from './operations.ts';
import { jobs, listeners } from './orders.ts';
import { settings } from './settings.ts';

export const module = defineModule({
  actions,
  events,
  operations,
  listeners,
  notifications,
  jobs,
  settings,
  errors,
  demo,
});

declare module '@chowk/kit/catalogue' {
  interface Operations {
    customers: OperationTypes<typeof operations>;
  }
}
