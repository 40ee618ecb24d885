import { defineModule } from '@chowk/kit';
import { actions } from './actions.ts';
import { demo } from './demo.ts';
import { digestJobs } from './digest.ts';
import { errors } from './errors.ts';
import { helpers } from './internal-api.ts';
import { mailJobs } from './mail.ts';
import { pushJobs } from './push.ts';
import { retentionJobs, settings } from './retention.ts';
import { jobs } from './send.ts';

export const module = defineModule({
  actions,
  helpers,
  settings,
  notifications: { 'notification.sent': { description: 'A message of another program or a colleague' } },
  jobs: { ...jobs, ...pushJobs, ...mailJobs, ...digestJobs, ...retentionJobs },
  errors,
  demo,
});
