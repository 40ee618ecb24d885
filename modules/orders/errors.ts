import { defineErrors } from '@chowk/kit';

export const errors = {
  'orders.not_found': { status: 404, message: 'There is no order {key}.' },
  'orders.closed': { status: 409, message: 'The order {order_number} is {status}; its items and its total stay.' },
  'orders.no_customers': { status: 409, message: 'An order needs the module customers, which is not enabled.' },
} as const;

export const fail = defineErrors(errors);
