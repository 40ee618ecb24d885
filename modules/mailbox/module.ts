import { defineModule, type OperationTypes } from '@chowk/kit';
import { imapActions } from './imap/actions.ts';
import { imapErrors } from './imap/errors.ts';
import { imapJobs } from './imap/fetch.ts';
import { imapNotifications } from './imap/outcome.ts';
import { operations } from './operations.ts';

export const module = defineModule({
  actions: imapActions,
  operations,
  jobs: imapJobs,
  notifications: imapNotifications,
  errors: imapErrors,
});

declare module '@chowk/kit/catalogue' {
  interface Operations {
    mailbox: OperationTypes<typeof imapActions & typeof operations>;
  }
}
