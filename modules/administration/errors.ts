import { defineErrors } from '@chowk/kit';

export const errors = {
  'views.not_found': { status: 404, message: 'There is no saved view {id}.' },
  'views.too_many': { status: 409, message: 'A list can have at most {max} saved views. Delete one first.' },
} as const;

export const fail = defineErrors(errors);
