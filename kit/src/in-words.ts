/** `compare_at_price` as `compare at price`, `sku` as `SKU`. */
export function inWords(name: string): string {
  return name.replaceAll('_', ' ').replace(/\b(csv|otp|sku|url)\b/g, (acronym) => acronym.toUpperCase());
}
