import { defineModule, type OperationTypes } from '@chowk/kit';
import { actions } from './actions.ts';
import { errors } from './errors.ts';
import { events } from './events.ts';
import { operations } from './operations.ts';

export const module = defineModule({
  actions,
  operations,
  events,
  errors,
  tags: {
    Settings: "The tenant's settings and domains.",
    Events: 'What happened in the tenant, for clients that follow it.',
    Audit: 'Changes in the tenant and the calls between modules.',
    'Saved views': 'Sets of filters that members keep for a list.',
  },
});

declare module '@chowk/kit/catalogue' {
  interface Operations {
    administration: OperationTypes<typeof operations>;
  }
}
