import { defineModule } from '@chowk/kit';
import { actions } from './actions.ts';

export const module = defineModule({
  actions,
  tags: {
    Settings: "The tenant's settings and domains.",
    Audit: 'Changes in the tenant and the calls between modules.',
  },
});
