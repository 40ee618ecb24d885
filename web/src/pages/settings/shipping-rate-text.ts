import type { ShippingRate } from '@chowk/client';
import { count } from '../../format/numbers.ts';

/** When a rate is offered: `up to 500 g · total from ₹200.00 · free from ₹999.00`. */
export function describeRate(rate: ShippingRate, money: (amount: string) => string): string {
  const grams = (weight: number | null) => (weight === null ? null : formatWeight(weight));
  const amount = (total: string | null) => (total === null ? null : money(total));
  const parts = [
    range('', grams(rate.minimum_weight), grams(rate.maximum_weight)),
    range('total ', amount(rate.minimum_total), amount(rate.maximum_total)),
    rate.free_above !== null && `free from ${money(rate.free_above)}`,
  ];
  const text = parts.filter(Boolean).join(' · ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function range(name: string, from: string | null, to: string | null): string {
  if (from === null && to === null) return '';
  if (from === null) return `${name}up to ${to}`;
  return to === null ? `${name}from ${from}` : `${name}${from} to ${to}`;
}

function formatWeight(grams: number): string {
  return grams >= 1_000 && grams % 100 === 0 ? `${count(grams / 1_000)} kg` : `${count(grams)} g`;
}
