import { defineErrors } from '@chowk/kit';

export const errors = {
  'conversations.not_found': { status: 404, message: 'There is no conversation {id}.' },
  'conversations.no_customers': { status: 409, message: 'Enable the module customers to start conversations.' },
} as const;

export const fail = defineErrors(errors);
