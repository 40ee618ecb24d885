import { byNumber, byText, byTime, type Ctx, equals, type Issues, list, sql, Type, Uuid } from '@chowk/kit';
import { fail } from './errors.ts';
import { records } from './records.ts';
import { readState } from './regions.ts';
import {
  NewShippingRate,
  NewShippingZone,
  ShippingRate,
  type ShippingRateChanges,
  ShippingZone,
  type ShippingZoneChanges,
} from './shipping-schemas.ts';

const zones = records({
  table: 'shipping_zones',
  New: NewShippingZone,
  Row: ShippingZone,
  notFound: (id) => fail('pricing.shipping_zone_not_found', { id }),
});

export const zoneList = list({
  name: 'shipping_zones',
  row: ShippingZone,
  from: sql`shipping_zones r`,
  alias: sql`r`,
  columns: zones.columns,
  sorts: { created_at: byTime(sql`r.created_at`), name: byText(sql`r.name`) },
});

export const { get: getZone, remove: deleteZone } = zones;

type Edit<Row, Fields> = { readonly current: Row; readonly fields: Fields };

export function checkNewZone(_ctx: Ctx, input: Partial<NewShippingZone>, issues: Issues): void {
  if (input.regions?.length === 0 && input.rest_of_world === false) {
    issues.add('regions', 'The regions must have at least one country, unless the zone is the rest of the world.');
  }
}

export function createZone(ctx: Ctx, input: NewShippingZone): Promise<ShippingZone> {
  return zones.insert(ctx, withStates(input));
}

export async function checkZoneChanges(
  ctx: Ctx,
  { id, ...changes }: Partial<ShippingZoneChanges>,
  issues: Issues,
): Promise<Edit<ShippingZone, NewShippingZone> | undefined> {
  if (id === undefined) return undefined;
  const current = await zones.lock(ctx, id);
  const fields = zones.merge(current, changes);
  checkNewZone(ctx, fields, issues);
  return { current, fields };
}

export function updateZone(
  ctx: Ctx,
  _input: ShippingZoneChanges,
  { current, fields }: Edit<ShippingZone, NewShippingZone>,
): Promise<ShippingZone> {
  return zones.update(ctx, current, withStates(fields));
}

/** States are stored as addresses are compared with them. */
function withStates({ regions, ...zone }: NewShippingZone): NewShippingZone {
  const read = regions.map(({ country, states }) => {
    return { country, states: [...new Set(states.map((state) => readState(country, state) as string))] };
  });
  return { ...zone, regions: read };
}

const rates = records({
  table: 'shipping_rates',
  New: NewShippingRate,
  Row: ShippingRate,
  notFound: (id) => fail('pricing.shipping_rate_not_found', { id }),
});

export const rateList = list({
  name: 'shipping_rates',
  row: ShippingRate,
  from: sql`shipping_rates r`,
  alias: sql`r`,
  columns: rates.columns,
  filters: { zone_id: equals(Uuid, sql`r.zone_id`), is_active: equals(Type.Boolean(), sql`r.is_active`) },
  sorts: { created_at: byTime(sql`r.created_at`), name: byText(sql`r.name`), price: byNumber(sql`r.price`) },
});

export const { get: getRate, remove: deleteRate, insert: createRate } = rates;

export async function checkNewRate(ctx: Ctx, input: Partial<NewShippingRate>, issues: Issues): Promise<void> {
  await checkAmounts(ctx, input, issues);
  await checkRate(ctx, input, issues);
}

/** Shipping rates are in the tenant's currency. */
async function checkAmounts(ctx: Ctx, input: Partial<NewShippingRate>, issues: Issues): Promise<void> {
  const { 'general.currency': currency } = await ctx.settings();
  const { price, minimum_total, maximum_total, free_above } = input;
  const amounts = Object.entries({ price, minimum_total, maximum_total, free_above });
  for (const [field, amount] of amounts) issues.checkDecimals(field, amount, currency);
}

async function checkRate(ctx: Ctx, input: Partial<NewShippingRate>, issues: Issues): Promise<void> {
  checkRange('weight', input.minimum_weight, input.maximum_weight, issues);
  checkRange('total', input.minimum_total, input.maximum_total, issues);
  const { zone_id } = input;
  if (zone_id === undefined) return;
  // The zone cannot be deleted before the rate is there.
  const zone = await ctx.db.row(sql`SELECT FROM shipping_zones WHERE id = ${zone_id} FOR KEY SHARE`);
  if (!zone) issues.add('zone_id', `There is no shipping zone ${zone_id}.`, 'unknown');
}

type Bound = number | string | null | undefined;

function checkRange(name: 'weight' | 'total', minimum: Bound, maximum: Bound, issues: Issues): void {
  if (minimum == null || maximum == null || Number(minimum) <= Number(maximum)) return;
  issues.add(`maximum_${name}`, `The maximum ${name} must be at least the minimum ${name}.`, 'too_small');
}

export async function checkRateChanges(
  ctx: Ctx,
  { id, ...changes }: Partial<ShippingRateChanges>,
  issues: Issues,
): Promise<Edit<ShippingRate, NewShippingRate> | undefined> {
  if (id === undefined) return undefined;
  const current = await rates.lock(ctx, id);
  const fields = rates.merge(current, changes);
  await checkAmounts(ctx, changes, issues);
  await checkRate(ctx, fields, issues);
  return { current, fields };
}

export function updateRate(
  ctx: Ctx,
  _input: ShippingRateChanges,
  { current, fields }: Edit<ShippingRate, NewShippingRate>,
): Promise<ShippingRate> {
  return rates.update(ctx, current, fields);
}
