import { type Db, type Issues, sql } from '@chowk/kit';
import currencies from 'country-to-currency';

/** Where an organization is. */
export interface Region {
  readonly country: string;
  readonly currency: string;
  readonly timezone: string;
}

type Country = keyof typeof currencies;

/** Completes a region from the machine's time zone, the languages of the browser and the machine's locale. */
export function completeRegion(region: Partial<Region>, languages = ''): Region {
  const machine = Intl.DateTimeFormat().resolvedOptions();
  const country = findCountry(machine.timeZone) ?? countryIn(languages) ?? countryIn(machine.locale);
  return complete(region, { country, timezone: machine.timeZone });
}

/**
 * Completes the region of a person who signs up, and may be elsewhere than the machine: from the languages of the browser,
 * else from the region of the platform's owner.
 */
export async function completeGuestRegion(db: Db, region: Partial<Region>, languages = ''): Promise<Region> {
  const owner = await db.row<{ country: string | null; timezone: string | null }>(sql`
    SELECT max(value #>> '{}') FILTER (WHERE key = 'general.country') AS country,
      max(value #>> '{}') FILTER (WHERE key = 'general.timezone') AS timezone
    FROM tenant_settings WHERE tenant_id = (
      SELECT id FROM tenants WHERE role = 'platform_owner' ORDER BY created_at, id LIMIT 1)`);
  const { country: place, timezone } = owner ?? {};
  const home = completeRegion({ ...(place && { country: place }), ...(timezone && { timezone }) });
  const country = countryIn(languages) ?? home.country;
  return complete(region, { country, timezone: home.timezone });
}

/** With a country by its time zone, a currency by its country and a time zone by its country, else as the fallback. */
function complete(
  { country, currency, timezone }: Partial<Region>,
  fallback: { readonly country: string | undefined; readonly timezone: string },
): Region {
  const place = country ?? (timezone && findCountry(timezone)) ?? fallback.country ?? 'US';
  return {
    country: place,
    currency: currency ?? currencies[place as Country] ?? 'USD',
    timezone: timezone ?? findTimeZone(place, fallback.timezone),
  };
}

/** Adds problems that the schema cannot express. */
export function checkRegion({ country, currency }: Partial<Region>, issues: Issues): void {
  if (country !== undefined && !Object.hasOwn(currencies, country)) {
    issues.add('country', `There is no country ${country}.`, 'unknown');
  }
  if (currency !== undefined && !Intl.supportedValuesOf('currency').includes(currency)) {
    issues.add('currency', `There is no currency ${currency}.`, 'unknown');
  }
}

/** PostgreSQL computes the days of a tenant, so it must know the time zone. */
export async function checkTimeZone(db: Db, { timezone }: Partial<Region>, issues: Issues): Promise<void> {
  if (timezone === undefined || issues.has('timezone')) return;
  if (await db.row(sql`SELECT FROM pg_timezone_names WHERE name = ${timezone}`)) return;
  issues.add('timezone', `There is no time zone ${timezone}.`, 'unknown');
}

/** In the transaction that creates the tenant. */
export async function writeRegion(db: Db, tenantId: string, { country, currency, timezone }: Region): Promise<void> {
  const settings = {
    'general.country': country,
    'general.currency': currency,
    'general.timezone': timezone,
    'general.locale': `en-${country}`,
  };
  await db.run(sql`
    INSERT INTO tenant_settings (tenant_id, key, value)
    SELECT ${tenantId}, key, value FROM jsonb_each(${JSON.stringify(settings)}::jsonb)
    ON CONFLICT (tenant_id, key) DO UPDATE SET value = excluded.value, updated_at = now()`);
}

/** `undefined` for a time zone such as UTC that belongs to no country. */
function findCountry(timezone: string): string | undefined {
  return Object.keys(currencies).find((country) => listTimeZones(country).includes(timezone));
}

/** The country of the first language that names one: `GB` for `en-GB,en;q=0.9`. */
function countryIn(languages: string): string | undefined {
  const countries = [...languages.matchAll(/\b[a-z]{2,3}-([A-Z]{2})\b/g)].map(([, country]) => country as string);
  return countries.find((country) => Object.hasOwn(currencies, country));
}

/** The only time zone of a country, or the fallback. */
function findTimeZone(country: string, fallback: string): string {
  const [zone, ...others] = listTimeZones(country);
  return zone === undefined || others.length > 0 ? fallback : zone;
}

function listTimeZones(country: string): readonly string[] {
  return new Intl.Locale('und', { region: country }).getTimeZones() ?? [];
}
