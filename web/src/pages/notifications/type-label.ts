/** `order.status_changed` becomes `Order status changed`. */
export function typeLabel(type: string): string {
  const words = type.replace(/[._-]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
