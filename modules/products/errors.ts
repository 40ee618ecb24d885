import { defineErrors } from '@chowk/kit';

export const errors = {
  'products.not_found': { status: 404, message: 'There is no product {key}.' },
  'products.reservation_not_found': { status: 404, message: 'There is no reservation {key} of this product.' },
  'products.insufficient_stock': {
    status: 409,
    message: 'Only {available} of {sku} can be had; {wanted} were asked for.',
  },
  'products.has_reservations': {
    status: 409,
    message: '{reserved} of {sku} are reserved; archive it, or wait until they are sold or released.',
  },
  'products.unreadable_csv': { status: 422, message: 'The file is not valid CSV.' },
} as const;

export const fail = defineErrors(errors);
