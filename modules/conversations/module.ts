import { defineModule, type OperationTypes } from '@chowk/kit';
import { actions } from './actions.ts';
import { attachmentJobs } from './attachments.ts';
import { listeners } from './customer-changes.ts';
import { deliveryListeners } from './delivery.ts';
import { demo } from './demo.ts';
import { errors } from './errors.ts';
import { events } from './events.ts';
import { notifications, teamListeners } from './notify-team.ts';
import { operations } from './operations.ts';
import { settings } from './settings.ts';
import { snoozeJobs } from './snooze.ts';
import { visitorJobs } from './visitors.ts';

export const module = defineModule({
  actions,
  events,
  operations,
  settings,
  jobs: { ...attachmentJobs, ...snoozeJobs, ...visitorJobs },
  listeners: [...listeners, ...deliveryListeners, ...teamListeners],
  notifications,
  errors,
  demo,
});

declare module '@chowk/kit/catalogue' {
  interface Operations {
    conversations: OperationTypes<typeof actions & typeof operations>;
  }
}
