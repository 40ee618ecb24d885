import { defineModule } from '@chowk/kit';
import { actions } from './actions.ts';
import { errors } from './errors.ts';

export const module = defineModule({
  actions,
  errors,
  // Sent by `module:upgrade`.
  notifications: {
    'module.upgraded': { description: 'A module was upgraded', needs: 'modules.view', defaultFor: 'modules.configure' },
  },
  tags: {
    Modules: 'The modules of the tenant.',
    Rings: 'The rings of the platform: sets of module versions that some tenants run.',
  },
});
