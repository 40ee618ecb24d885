import { defineModule, type JobTypes, type OperationTypes } from '@chowk/kit';
import { actions } from './actions.ts';
import { jobs } from './daily-figures.ts';
import { errors } from './errors.ts';

export const module = defineModule({ actions, errors, jobs });

declare module '@chowk/kit/catalogue' {
  interface Operations {
    reports: OperationTypes<typeof actions>;
  }
  interface Jobs extends JobTypes<typeof jobs> {}
}
