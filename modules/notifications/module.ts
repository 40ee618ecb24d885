import { afterCommit, defineModule } from '@chowk/kit';
import { actions } from './actions.ts';
import { applyRules, hasRules } from './apply-rules.ts';
import { demo } from './demo.ts';
import { errors } from './errors.ts';
import { helpers } from './internal-api.ts';
import { messageJobs } from './messages.ts';
import { tags } from './rule-actions.ts';
import { jobs } from './send.ts';
import { settings } from './settings.ts';

export const module = defineModule({
  actions,
  tags,
  helpers,
  settings,
  jobs: { ...jobs, ...messageJobs },
  errors,
  demo,
  listeners: [afterCommit('*', 'rules', applyRules, { onlyIf: hasRules })],
});
