import { defineModule } from '@chowk/kit';
import { actions } from './actions.ts';
import { errors } from './errors.ts';
import { platformActions } from './platform-actions.ts';
import { platformJobs } from './platform-jobs.ts';

export const module = defineModule({
  actions: { ...actions, ...platformActions },
  jobs: platformJobs,
  errors,
  // Sent by `module:upgrade`.
  notifications: {
    'module.upgraded': { description: 'A module was upgraded', needs: 'modules.view', defaultFor: 'modules.configure' },
  },
  tags: {
    Modules: 'The modules of the tenant.',
    'Platform tenants': 'The tenants, for the owner of the platform.',
    Operations: 'Jobs, database servers and figures of the platform.',
    Rings: 'The rings of the platform: sets of module versions that some tenants run.',
  },
});
