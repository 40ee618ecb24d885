import { defineModule, type OperationTypes } from '@chowk/kit';
import { actions } from './actions.ts';
import { imapActions } from './imap/actions.ts';
import { imapErrors } from './imap/errors.ts';
import { imapJobs } from './imap/fetch.ts';
import { imapNotifications } from './imap/outcome.ts';
import { mailJobs } from './incoming.ts';
import { operations } from './operations.ts';

const allActions = { ...actions, ...imapActions };

export const module = defineModule({
  actions: allActions,
  operations,
  jobs: { ...mailJobs, ...imapJobs },
  notifications: imapNotifications,
  errors: imapErrors,
});

declare module '@chowk/kit/catalogue' {
  interface Operations {
    mailbox: OperationTypes<typeof allActions & typeof operations>;
  }
}
