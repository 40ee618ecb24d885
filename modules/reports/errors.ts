import { defineErrors } from '@chowk/kit';

export const errors = {
  'reports.calculating': {
    status: 409,
    message:
      'The figures of these days are being calculated, {percent} % of them are there. Ask again in a few seconds.',
  },
} as const;
export const fail = defineErrors(errors);
