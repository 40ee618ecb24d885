import { afterCommit, defineModule } from '@chowk/kit';
import { actions } from './actions.ts';
import { applyRules, hasRules } from './apply-rules.ts';
import { demo } from './demo.ts';
import { digestJobs } from './digest.ts';
import { errors } from './errors.ts';
import { events } from './events.ts';
import { helpers } from './internal-api.ts';
import { mailJobs } from './mail.ts';
import { messageJobs } from './messages.ts';
import { pushJobs } from './push.ts';
import { retentionJobs } from './retention.ts';
import { tags } from './rule-actions.ts';
import { jobs } from './send.ts';
import { settings } from './settings.ts';

export const module = defineModule({
  actions,
  events,
  tags,
  helpers,
  settings,
  notifications: { 'notification.sent': { description: 'A message of another program or a colleague' } },
  jobs: { ...jobs, ...messageJobs, ...pushJobs, ...mailJobs, ...digestJobs, ...retentionJobs },
  errors,
  demo,
  listeners: [afterCommit('*', 'rules', applyRules, { onlyIf: hasRules })],
});
