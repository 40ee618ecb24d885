import { defineModule, type OperationTypes } from '@chowk/kit';
import { actions } from './actions.ts';
import { listeners } from './customer-changes.ts';
import { demo } from './demo.ts';
import { tags } from './draft-actions.ts';
import { errors } from './errors.ts';
import { events } from './events.ts';
import { operations } from './operations.ts';
import { settings } from './settings.ts';

export const module = defineModule({ actions, events, listeners, operations, settings, errors, tags, demo });

declare module '@chowk/kit/catalogue' {
  interface Operations {
    orders: OperationTypes<typeof actions & typeof operations>;
  }
}
