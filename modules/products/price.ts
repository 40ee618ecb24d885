/** A problem that the schema cannot express. */
export function priceProblem(fields: { price?: string; compare_at_price?: string | null }): string | undefined {
  const { price, compare_at_price: before } = fields;
  const isLess = price !== undefined && before != null && Number(before) < Number(price);
  return isLess ? 'The compare at price must be at least the price.' : undefined;
}
