import { defineErrors } from '@chowk/kit';

export const errors = {
  'invoices.not_found': { status: 404, message: 'There is no invoice {key}.' },
  'invoices.not_invoiced': {
    status: 409,
    message: 'Order {order_number} is {status} and has no invoice. Confirm the order first.',
  },
  'invoices.no_invoice': {
    status: 409,
    message: 'Order {order_number} has no invoice that a credit note could correct.',
  },
  'invoices.nothing_to_credit': {
    status: 409,
    message: 'Everything that was refunded of order {order_number} has been credited. Refund an amount first.',
  },
} as const;

export const fail = defineErrors(errors);
