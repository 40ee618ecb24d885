import { defineModule, type OperationTypes } from '@chowk/kit';
import { actions } from './actions.ts';
import { demo } from './demo.ts';
import { errors } from './errors.ts';
import { operations } from './operations.ts';
import { settings } from './settings.ts';

export const module = defineModule({ actions, operations, settings, errors, demo });

declare module '@chowk/kit/catalogue' {
  interface Operations {
    pricing: OperationTypes<typeof actions & typeof operations>;
  }
}
