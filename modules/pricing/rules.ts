import type { ProblemCode } from './cart-schemas.ts';
import type { Discount } from './discount-schemas.ts';
import type { ShippingRate, ShippingZone } from './shipping-schemas.ts';
import type { TaxRate } from './tax-schemas.ts';

/** Everything besides the cart that decides its price. */
export interface PricingRules {
  /** The discounts with the codes of the cart. */
  readonly discounts: readonly DiscountRule[];
  readonly taxRates: readonly TaxRule[];
  readonly zones: readonly ZoneRule[];
  readonly pricesIncludeTax: boolean;
  readonly taxShipping: boolean;
  readonly isTaxExempt: boolean;
  /** The tenant's: that of the amounts of discounts and shipping rates. */
  readonly currency: string;
}

export type DiscountRule = Pick<
  Discount,
  | ('id' | 'code' | 'title' | 'kind' | 'value' | 'applies_to' | 'target_ids')
  | ('minimum_subtotal' | 'minimum_quantity' | 'combines')
> & {
  /** Why it cannot be used now, whatever the cart. */
  readonly problem: ProblemCode | null;
};

export type TaxRule = Pick<
  TaxRate,
  'name' | 'country' | 'state' | 'tax_class' | 'rate' | 'priority' | 'includes_shipping'
>;

export type RateRule = Omit<ShippingRate, 'zone_id' | 'is_active' | 'created_at' | 'updated_at'>;

export type ZoneRule = Pick<ShippingZone, 'regions' | 'rest_of_world'> & { readonly rates: readonly RateRule[] };
