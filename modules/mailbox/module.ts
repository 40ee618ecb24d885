import { defineModule, type OperationTypes } from '@chowk/kit';
import { actions } from './actions.ts';
import { mailJobs } from './incoming.ts';
import { operations } from './operations.ts';

export const module = defineModule({
  actions,
  operations,
  jobs: mailJobs,
});

declare module '@chowk/kit/catalogue' {
  interface Operations {
    mailbox: OperationTypes<typeof actions & typeof operations>;
  }
}
