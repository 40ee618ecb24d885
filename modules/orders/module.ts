import { defineModule, type OperationTypes } from '@chowk/kit';
import { actions } from './actions.ts';
import { listeners as customerListeners } from './customer-changes.ts';
import { demo } from './demo.ts';
import { tags } from './draft-actions.ts';
import { errors } from './errors.ts';
import { events } from './events.ts';
import { teamJobs as jobs, notifications, teamListeners } from './notify-team.ts';
import { operations } from './operations.ts';
import { settings } from './settings.ts';

const listeners = [...customerListeners, ...teamListeners];

export const module = defineModule({
  actions,
  events,
  listeners,
  operations,
  notifications,
  jobs,
  settings,
  errors,
  tags,
  demo,
});

declare module '@chowk/kit/catalogue' {
  interface Operations {
    orders: OperationTypes<typeof actions & typeof operations>;
  }
}
