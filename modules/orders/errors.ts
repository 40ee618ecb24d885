import { defineErrors } from '@chowk/kit';

export const errors = {
  'orders.not_found': { status: 404, message: 'There is no order {key}.' },
  'orders.closed': {
    status: 409,
    message: 'The order {order_number} is {status}: its items and its total can no longer change.',
  },
  'orders.no_customers': { status: 409, message: 'Orders need the module customers. Enable it first.' },
} as const;

export const fail = defineErrors(errors);
