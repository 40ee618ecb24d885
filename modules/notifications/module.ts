import { afterCommit, defineModule, type OperationTypes } from '@chowk/kit';
import { actions } from './actions.ts';
import { demo } from './demo.ts';
import { pushJobs } from './devices/push.ts';
import { errors } from './errors.ts';
import { events } from './events.ts';
import { callbackJobs } from './messages/callbacks/twilio-callbacks.ts';
import { webhookJobs } from './messages/callbacks/webhook-callbacks.ts';
import { messageJobs } from './messages/messages.ts';
import { groupJobs } from './notify.ts';
import { operations } from './operations.ts';
import { digestJobs } from './preferences/digest.ts';
import { mailJobs } from './preferences/mail.ts';
import { retentionJobs } from './retention.ts';
import { applyRules, hasRules } from './rules/apply-rules.ts';
import { tags } from './rules/rule-actions.ts';
import { jobs } from './send.ts';
import { settings } from './settings.ts';

export const module = defineModule({
  actions,
  events,
  tags,
  operations,
  settings,
  notifications: {
    'notification.sent': { description: 'A message from a colleague or an app' },
    'message.failed': {
      description: 'A message to a customer was not delivered',
      needs: 'notifications.send',
      several: {
        title: '{count} messages to customers were not delivered',
        action_url: '/notifications?type=message.failed',
      },
    },
  },
  jobs: {
    ...jobs,
    ...groupJobs,
    ...messageJobs,
    ...callbackJobs,
    ...webhookJobs,
    ...pushJobs,
    ...mailJobs,
    ...digestJobs,
    ...retentionJobs,
  },
  errors,
  demo,
  listeners: [afterCommit('*', 'rules', applyRules, { onlyIf: hasRules })],
});

declare module '@chowk/kit/catalogue' {
  interface Operations {
    notifications: OperationTypes<typeof actions & typeof operations>;
  }
}
