import { defineErrors } from '@chowk/kit';

export const errors = {
  'pricing.discount_not_found': { status: 404, message: 'There is no discount {id}.' },
  'pricing.tax_rate_not_found': { status: 404, message: 'There is no tax rate {id}.' },
  'pricing.tax_exemption_not_found': { status: 404, message: 'The customer {id} is not exempt from taxes.' },
  'pricing.shipping_zone_not_found': { status: 404, message: 'There is no shipping zone {id}.' },
  'pricing.shipping_rate_not_found': { status: 404, message: 'There is no shipping rate {id}.' },
  'pricing.discount_used_up': {
    status: 409,
    message: 'The discount code {code} has been used as often as it can be.',
  },
  'pricing.discount_already_used': { status: 409, message: 'The customer has already used the discount code {code}.' },
} as const;

export const fail = defineErrors(errors);
