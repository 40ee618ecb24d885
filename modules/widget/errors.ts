import { defineErrors } from '@chowk/kit';

export const errors = {
  'widget.disabled': { status: 404, message: 'The chat is switched off.' },
  'widget.unknown_session': { status: 403, message: 'The session is unknown or has expired. Start a new one.' },
  'widget.bad_identity': { status: 403, message: 'The identity token is not valid: {reason}' },
  'widget.too_many_sessions': {
    status: 429,
    message: 'Too many conversations were started from your network. Try again in an hour.',
  },
  'widget.too_many_messages': { status: 429, message: 'You send messages too fast. Try again in a minute.' },
  'widget.secret_not_found': { status: 404, message: 'There is no secret for identity tokens.' },
} as const;

export const fail = defineErrors(errors);
