import { defineErrors } from '@chowk/kit';

export const errors = {
  'orders.not_found': { status: 404, message: 'There is no order {key}.' },
  'orders.payment_not_found': { status: 404, message: 'The order has no payment {key}.' },
  'orders.refund_not_found': { status: 404, message: 'There is no refund {key}.' },
  'orders.closed': { status: 409, message: 'Items, total and date of a {status} order cannot change.' },
  'orders.no_customers': { status: 409, message: 'Orders need the customers module. Enable it first.' },
  'orders.not_shippable': { status: 409, message: 'A {status} order cannot be shipped.' },
  'orders.nothing_to_ship': { status: 409, message: 'All items of the order have been shipped.' },
  'orders.shipment_not_found': { status: 404, message: 'The order has no shipment {key}.' },
  'orders.shipment_delivered': {
    status: 409,
    message: 'The shipment is delivered and cannot be cancelled. Refund and restock what comes back.',
  },
  'orders.draft_not_found': { status: 404, message: 'There is no draft order {key}.' },
  'orders.draft_placed': { status: 409, message: 'The draft is placed already and cannot change.' },
} as const;

export const fail = defineErrors(errors);

/** What products and pricing refuse, for example because another order was faster. */
export const unavailable = [
  'products.insufficient_stock',
  'products.insufficient_stock_for_several',
  'products.insufficient_at_location',
  'products.variant_not_found',
  'pricing.discount_used_up',
  'pricing.discount_already_used',
];
