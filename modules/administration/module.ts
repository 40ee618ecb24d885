import { defineModule } from '@chowk/kit';
import { actions } from './actions.ts';
import { errors } from './errors.ts';
import { events } from './events.ts';

export const module = defineModule({
  actions,
  events,
  errors,
  tags: {
    Settings: "The tenant's settings and domains.",
    Audit: 'Changes in the tenant and the calls between modules.',
    'Saved views': 'Sets of filters that members keep for a list.',
  },
});
