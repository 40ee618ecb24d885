import { toCents } from '@chowk/kit';
import type { Problem } from './apply-discounts.ts';
import type { Cart } from './cart-schemas.ts';
import type { Region } from './regions.ts';
import type { RateRule, ZoneRule } from './rules.ts';

interface Offer {
  readonly id: string;
  readonly name: string;
  readonly price: bigint;
}

interface Parcel {
  /** The goods after discounts. */
  readonly total: bigint;
  /** In grams. */
  readonly weight: number;
  readonly currency: string;
}

/** The rates for an address, the cheapest first. */
export function offerRates(zones: readonly ZoneRule[], region: Region, parcel: Parcel): Offer[] {
  const specificity = zones.map((zone) => zoneSpecificity(zone, region));
  const best = Math.max(...specificity);
  return zones
    .filter((_, index) => best > 0 && specificity[index] === best)
    .flatMap(({ rates }) => rates)
    .filter((rate) => isInRange(rate, parcel))
    .map((rate) => ({ id: rate.id, name: rate.name, price: ratePrice(rate, parcel) }))
    .sort((a, b) => Number(a.price - b.price) || a.name.localeCompare(b.name, 'en'));
}

/** 3 for the state, 2 for the whole country, 1 for the rest of the world, 0 if the zone does not cover the address. */
function zoneSpecificity({ regions, rest_of_world }: ZoneRule, { country, state }: Region): number {
  const ofCountry = regions.filter((region) => region.country === country);
  if (state !== null && ofCountry.some(({ states }) => states.includes(state))) return 3;
  if (ofCountry.some(({ states }) => states.length === 0)) return 2;
  return rest_of_world ? 1 : 0;
}

/** Both ends of a range belong to it. */
function isInRange(rate: RateRule, { total, weight, currency }: Parcel): boolean {
  const { minimum_weight, maximum_weight, minimum_total, maximum_total } = rate;
  return (
    weight >= (minimum_weight ?? 0) &&
    weight <= (maximum_weight ?? Number.POSITIVE_INFINITY) &&
    (minimum_total === null || total >= toCents(minimum_total, currency)) &&
    (maximum_total === null || total <= toCents(maximum_total, currency))
  );
}

function ratePrice({ price, free_above }: RateRule, { total, currency }: Parcel): bigint {
  const isFree = free_above !== null && total >= toCents(free_above, currency);
  return isFree ? 0n : toCents(price, currency);
}

interface Choice {
  readonly shipping: { readonly rate_id: string | null; readonly title: string; readonly price: bigint } | null;
  readonly problems: readonly Problem[];
}

/** A given amount, else the chosen rate. */
export function chooseShipping(cart: Cart & { readonly currency: string }, offers: readonly Offer[]): Choice {
  const { shipping: given, shipping_rate_id: id, currency } = cart;
  if (given) {
    return { shipping: { rate_id: null, title: given.title, price: toCents(given.price, currency) }, problems: [] };
  }
  if (id === null) return { shipping: null, problems: [] };
  const offer = offers.find((one) => one.id === id);
  if (!offer) return { shipping: null, problems: [{ code: 'shipping_rate_unavailable', discount_code: null }] };
  return { shipping: { rate_id: id, title: offer.name, price: offer.price }, problems: [] };
}
