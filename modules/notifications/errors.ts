import { defineErrors } from '@chowk/kit';

export const errors = {
  'notifications.not_found': { status: 404, message: 'There is no notification {id}.' },
  'notifications.device_not_found': { status: 404, message: 'There is no device {id}.' },
} as const;

export const fail = defineErrors(errors);
