import { defineModule, type OperationTypes } from '@chowk/kit';
import { actions as productActions } from './actions.ts';
import { collectionActions } from './collection-actions.ts';
import { demo } from './demo.ts';
import { errors } from './errors.ts';
import { events } from './events.ts';
import { imageJobs } from './images.ts';
import { teamListeners as listeners, notifications } from './notify-team.ts';
import { operations } from './operations.ts';
import { jobs as reservationJobs } from './reservations.ts';
import { settings } from './settings.ts';
import { variantActions } from './variant-actions.ts';

const actions = { ...productActions, ...variantActions, ...collectionActions };
const jobs = { ...reservationJobs, ...imageJobs };

export const module = defineModule({
  actions,
  events,
  listeners,
  operations,
  notifications,
  jobs,
  settings,
  errors,
  demo,
});

declare module '@chowk/kit/catalogue' {
  interface Operations {
    products: OperationTypes<typeof actions & typeof operations>;
  }
}
