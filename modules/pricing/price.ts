import { type Ctx, columnsFor, type Issues, invalid, sql, Type, toCents } from '@chowk/kit';
import type { Cart, CartLine, PricedCart } from './cart-schemas.ts';
import { Discount } from './discount-schemas.ts';
import { checkPercentage } from './discounts.ts';
import { priceCart } from './price-cart.ts';
import { type Region, readRegion } from './regions.ts';
import type { DiscountRule, PricingRules, TaxRule, ZoneRule } from './rules.ts';
import { ShippingRate } from './shipping-schemas.ts';
import { rateText } from './tax-rates.ts';

const maxTotal = '9999999999.99';

export async function checkCart(ctx: Ctx, cart: Partial<Cart>, issues: Issues): Promise<void> {
  const { 'general.currency': ownCurrency } = await ctx.settings();
  const { currency = ownCurrency, lines = [], discounts = [], shipping } = cart;
  const checkDiscount = (field: string, discount: Cart['discounts'][number]) => {
    checkPercentage(field, discount, issues);
    if (discount.kind === 'fixed') issues.checkDecimals(field, discount.value, currency);
  };
  for (const [index, { price, discount }] of lines.entries()) {
    issues.checkDecimals(`lines.${index}.price`, price, currency);
    if (discount) checkDiscount(`lines.${index}.discount.value`, discount);
  }
  for (const [index, discount] of discounts.entries()) checkDiscount(`discounts.${index}.value`, discount);
  issues.checkDecimals('shipping.price', shipping?.price, currency);
}

/** As `price`, with an error for a cart that costs too much. */
export async function previewPrice(ctx: Ctx, input: Cart): Promise<PricedCart> {
  const priced = await price(ctx, input);
  if (toCents(priced.total) <= toCents(maxTotal)) return priced;
  throw invalid({ lines: { code: 'too_large', message: `The cart must cost at most ${maxTotal}.` } });
}

export async function price(ctx: Ctx, input: Cart): Promise<PricedCart> {
  const settings = await ctx.settings();
  const currency = input.currency ?? settings['general.currency'];
  const shop = { country: settings['general.country'], state: settings['pricing.state'] };
  const cart = { ...input, currency, address: input.address?.country ? input.address : shop };
  const found = await findRules(ctx, cart, readRegion(cart.address));
  const lines = await addCollections(ctx, cart.lines, found.discounts);
  return priceCart(
    { ...cart, lines },
    {
      ...found,
      currency: settings['general.currency'],
      pricesIncludeTax: settings['pricing.prices_include_tax'],
      taxShipping: settings['pricing.tax_shipping'],
    },
  );
}

/** The collections of the products, if a discount depends on them. */
async function addCollections(
  ctx: Ctx,
  lines: readonly CartLine[],
  discounts: readonly DiscountRule[],
): Promise<CartLine[]> {
  const collection_ids = discounts.flatMap((rule) => (rule.applies_to === 'collections' ? rule.target_ids : []));
  const product_ids = lines.flatMap(({ product_id }) => product_id ?? []);
  if (collection_ids.length === 0 || product_ids.length === 0) return [...lines];
  const found = await ctx.bus.callIfInstalled('products.findMemberships', { product_ids, collection_ids });
  const memberships = new Map(found?.map((product) => [product.product_id, product.collection_ids]));
  return lines.map((line) => {
    const added = memberships.get(line.product_id ?? '') ?? [];
    return { ...line, collection_ids: [...line.collection_ids, ...added] };
  });
}

type FoundRules = Pick<PricingRules, 'discounts' | 'taxRates' | 'zones' | 'isTaxExempt'>;

const discountColumns = columnsFor(Type.Omit(Discount, ['status']), sql`d`);
const rateColumns = columnsFor(ShippingRate, sql`s`);

/** One statement, because every order waits for it. */
async function findRules(ctx: Ctx, cart: Cart, { country }: Region): Promise<FoundRules> {
  const { codes, customer_id, order_id } = cart;
  const now = ctx.now();
  const isUsed = sql`EXISTS (SELECT FROM discount_redemptions u WHERE u.discount_id = d.id AND u.order_id = ${order_id}::uuid)`;
  const isUsedByCustomer = sql`EXISTS (SELECT FROM discount_redemptions u
    WHERE u.discount_id = d.id AND u.customer_id = ${customer_id}::uuid)`;
  const row = await ctx.db.row<{
    discounts: DiscountRule[];
    taxRates: TaxRule[];
    zones: ZoneRule[];
    isTaxExempt: boolean;
  }>(sql`
    SELECT
      (SELECT coalesce(json_agg(found), '[]') FROM (
        SELECT ${discountColumns}, CASE
            WHEN ${isUsed} THEN NULL
            WHEN NOT d.is_active THEN 'inactive'
            WHEN d.starts_at > ${now} THEN 'not_started'
            WHEN d.ends_at <= ${now} THEN 'expired'
            WHEN d.uses >= d.usage_limit THEN 'used_up'
            WHEN d.once_per_customer AND ${isUsedByCustomer} THEN 'already_used' END AS problem
        FROM discounts d WHERE d.code_key IN (SELECT lower(code) FROM unnest(${codes}::text[]) code)) found) AS discounts,
      (SELECT coalesce(json_agg(found), '[]') FROM (
        SELECT r.name, r.country, r.state, r.tax_class, ${rateText} AS rate, r.priority, r.includes_shipping
        FROM tax_rates r WHERE r.is_active AND r.country = ${country}) found) AS "taxRates",
      (SELECT coalesce(json_agg(found), '[]') FROM (
        SELECT z.regions, z.rest_of_world,
          (SELECT coalesce(json_agg(rate), '[]') FROM (
            SELECT ${rateColumns} FROM shipping_rates s WHERE s.zone_id = z.id AND s.is_active) rate) AS rates
        FROM shipping_zones z) found) AS zones,
      EXISTS (SELECT FROM tax_exemptions WHERE customer_id = ${customer_id}::uuid) AS "isTaxExempt"`);
  return row as FoundRules;
}
