import { defineErrors } from '@chowk/kit';

export const errors = {
  'conversations.not_found': { status: 404, message: 'There is no conversation {id}.' },
  'conversations.no_customers': { status: 409, message: 'Conversations need the customers module. Enable it first.' },
} as const;

export const fail = defineErrors(errors);
