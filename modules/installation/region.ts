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
export function completeRegion({ country, currency, timezone }: Partial<Region>, languages = ''): Region {
  const machine = Intl.DateTimeFormat().resolvedOptions();
  const place =
    country ?? findCountry(timezone ?? machine.timeZone) ?? countryIn(languages) ?? countryIn(machine.locale);
  return {
    country: place ?? 'US',
    currency: currency ?? currencies[place as Country] ?? 'USD',
    timezone: timezone ?? (place && findOnlyTimeZone(place)) ?? machine.timeZone,
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

function findOnlyTimeZone(country: string): string | undefined {
  const zones = listTimeZones(country);
  return zones.length === 1 ? zones[0] : undefined;
}

function listTimeZones(country: string): readonly string[] {
  return new Intl.Locale('und', { region: country }).getTimeZones() ?? [];
}
