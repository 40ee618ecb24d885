import { defineErrors } from '@chowk/kit';

export const errors = {
  'products.not_found': { status: 404, message: 'There is no product {key}.' },
  'products.reservation_not_found': { status: 404, message: 'This product has no reservation {key}.' },
  'products.image_not_found': { status: 404, message: 'This product has no image {key}.' },
  'products.insufficient_stock': {
    status: 409,
    message: 'Insufficient stock for {sku}: requested {requested}, available {available}.',
  },
  'products.is_mandatory': {
    status: 409,
    message: 'The product is mandatory: your reseller sets everything except its stock, and it cannot be deleted.',
  },
  'products.has_reservations': {
    status: 409,
    message: '{reserved} units of {sku} are reserved. Archive the product, or wait until they are sold or released.',
  },
} as const;

export const fail = defineErrors(errors);
