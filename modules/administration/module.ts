import { defineModule } from '@chowk/kit';
import { actions } from './actions.ts';
import { events } from './events.ts';

export const module = defineModule({
  actions,
  events,
  tags: {
    Settings: "The tenant's settings and domains.",
    Audit: 'Changes in the tenant and the calls between modules.',
  },
});
