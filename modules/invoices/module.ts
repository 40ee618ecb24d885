import { defineModule, type OperationTypes } from '@chowk/kit';
import { actions } from './actions.ts';
import { errors } from './errors.ts';
import { events } from './events.ts';
import { settings } from './settings.ts';

export const module = defineModule({ actions, events, settings, errors });

declare module '@chowk/kit/catalogue' {
  interface Operations {
    invoices: OperationTypes<typeof actions>;
  }
}
