import { defineErrors } from '@chowk/kit';

export const imapErrors = {
  'mailbox.imap_not_found': { status: 404, message: 'No mailbox is set up.' },
} as const;

export const fail = defineErrors(imapErrors);
