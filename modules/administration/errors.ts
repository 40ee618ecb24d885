import { defineErrors } from '@chowk/kit';

export const errors = {
  'events.cursor_expired': {
    status: 410,
    message:
      'Events after this cursor have been deleted: they are kept for {days} days. Read the records again and begin without a cursor.',
  },
  'events.too_many_waiting': {
    status: 429,
    message:
      'Too many requests of this user or organization are waiting for events. End some, or send them without `wait`.',
  },
  'views.not_found': { status: 404, message: 'There is no saved view {id}.' },
  'views.too_many': { status: 409, message: 'A list can have at most {max} saved views. Delete one first.' },
} as const;

export const fail = defineErrors(errors);
