import { defineErrors } from '@chowk/kit';

export const errors = {
  'events.cursor_expired': {
    status: 410,
    message:
      'Events after this cursor have been deleted: they are kept for {days} days. Read the records again and begin without a cursor.',
  },
} as const;

export const fail = defineErrors(errors);
