import { defineErrors } from '@chowk/kit';

export const errors = {
  'notifications.not_found': { status: 404, message: 'There is no notification {id}.' },
} as const;

export const fail = defineErrors(errors);
