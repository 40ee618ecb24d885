import { defineErrors } from '@chowk/kit';

export const errors = {
  'customers.not_found': { status: 404, message: 'There is no customer {id}.' },
  'customers.merged': { status: 404, message: 'The customer {id} was merged into {merged_into}.' },
  'customers.address_not_found': { status: 404, message: 'This customer has no address {id}.' },
} as const;

export const fail = defineErrors(errors);
