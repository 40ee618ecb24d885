import { defineErrors } from '@chowk/kit';

export const errors = {
  'webhooks.not_found': { status: 404, message: 'There is no webhook {id}.' },
  'webhooks.delivery_not_found': { status: 404, message: 'This webhook has no delivery {delivery}.' },
  'webhooks.too_many': { status: 409, message: 'A tenant can have at most {max} webhooks. Delete one first.' },
  'webhooks.inactive': { status: 409, message: 'The webhook is not active. Activate it first.' },
  'webhooks.payload_deleted': {
    status: 409,
    message:
      'The payload of this delivery is no longer stored: it was delivered, and the event log does not have the event.',
  },
} as const;

export const fail = defineErrors(errors);
