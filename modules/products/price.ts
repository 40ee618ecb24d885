import type { Ctx, Issues } from '@chowk/kit';

interface Prices {
  readonly price?: string;
  readonly compare_at_price?: string | null;
}

/** The prices that were sent, of a product and its variants, have no more decimals than the tenant's currency. */
export async function checkDecimals(
  ctx: Ctx,
  { variants = [], ...product }: Prices & { readonly variants?: readonly Prices[] | undefined },
  issues: Issues,
): Promise<void> {
  const { 'general.currency': currency } = await ctx.settings();
  checkPrices(product, currency, issues);
  for (const [index, variant] of variants.entries()) checkPrices(variant, currency, issues, `variants.${index}.`);
}

export function checkPrices({ price, compare_at_price }: Prices, currency: string, issues: Issues, path = ''): void {
  issues.checkDecimals(`${path}price`, price, currency);
  issues.checkDecimals(`${path}compare_at_price`, compare_at_price, currency);
}

/** A problem that the schema cannot express. */
export function priceProblem(fields: Prices): string | undefined {
  const { price, compare_at_price: before } = fields;
  const isLess = price !== undefined && before != null && Number(before) < Number(price);
  return isLess ? 'The compare at price must be at least the price.' : undefined;
}
