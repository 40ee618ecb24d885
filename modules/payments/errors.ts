import { defineErrors } from '@chowk/kit';

export const errors = {
  'payments.not_configured': {
    status: 409,
    message: 'There is no payment provider. Save the keys of one and choose it in the setting payments.provider.',
  },
  'payments.provider_not_found': { status: 404, message: 'There are no keys of the provider {provider}.' },
  'payments.link_not_found': { status: 404, message: 'The order has no payment link {link}.' },
  'payments.link_closed': { status: 409, message: 'The payment link is {status} and cannot be cancelled.' },
  'payments.order_closed': { status: 409, message: 'A {status} order cannot be paid.' },
  'payments.refused': { status: 422, message: '{provider} refused the request: {reason}' },
  'payments.unavailable': {
    status: 409,
    message: '{provider} is not available now ({reason}) Try again in a moment; nothing is created twice.',
  },
  'payments.bad_signature': {
    status: 400,
    message: 'The signature is not valid, or too old. Check the webhook secret of the provider.',
  },
} as const;

export const fail = defineErrors(errors);
