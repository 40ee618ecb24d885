import { defineErrors } from '@chowk/kit';

export const errors = {
  'orders.not_found': { status: 404, message: 'There is no order {key}.' },
  'orders.payment_not_found': { status: 404, message: 'The order has no payment {key}.' },
  'orders.refund_not_found': { status: 404, message: 'There is no refund {key}.' },
  'orders.closed': { status: 409, message: 'Items, total and date of a {status} order cannot change.' },
  'orders.no_customers': { status: 409, message: 'Orders need the customers module. Enable it first.' },
} as const;

export const fail = defineErrors(errors);
