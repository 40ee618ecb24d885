import { defineErrors } from '@chowk/kit';

export const errors = {
  'products.not_found': { status: 404, message: 'There is no product {key}.' },
  'products.reservation_not_found': { status: 404, message: 'This product has no reservation {key}.' },
  'products.image_not_found': { status: 404, message: 'This product has no image {key}.' },
  'products.insufficient_stock': {
    status: 409,
    message: 'Insufficient stock for {sku}: requested {requested}, available {available}.',
  },
  'products.insufficient_stock_for_several': { status: 409, message: 'Insufficient stock for {list}.' },
  'products.insufficient_at_location': {
    status: 409,
    message: 'There are fewer than {requested} units of {sku} at this location. Choose another one.',
  },
  'products.variant_not_found': { status: 404, message: 'There is no variant {key}.' },
  'products.has_variants': {
    status: 409,
    message: '{sku} has several variants. Name one of them: {list}.',
  },
  'products.last_variant': { status: 409, message: 'A product has at least one variant. Delete the product instead.' },
  'products.location_not_found': { status: 404, message: 'There is no stock location {key}.' },
  'products.location_in_use': {
    status: 409,
    message: '{name} is the default location or has units. Move them first.',
  },
  'products.collection_not_found': { status: 404, message: 'There is no collection {key}.' },
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
