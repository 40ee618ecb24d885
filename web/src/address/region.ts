import currencies from 'country-to-currency';
import { countryTimeZones, ownTimeZone } from '../time/time-zones.ts';

export interface Region {
  readonly country: string;
  readonly currency: string;
  readonly timezone: string;
}

type Country = keyof typeof currencies;
const names = new Intl.DisplayNames([navigator.language, 'en'], { type: 'region' });
const currencyNames = new Intl.DisplayNames([navigator.language, 'en'], { type: 'currency' });

/** The Netherlands Antilles no longer exist. */
const current = Object.keys(currencies).filter((code) => code !== 'AN');

export const countries = named(current, countryName);
export const currencyOptions = named(
  Intl.supportedValuesOf('currency'),
  (code) => `${code} – ${currencyNames.of(code) ?? code}`,
);

export function countryName(code: string): string {
  return names.of(code) ?? code;
}

function named(codes: readonly string[], findName: (code: string) => string) {
  return codes.map((code) => ({ code, name: findName(code) })).sort((one, other) => one.name.localeCompare(other.name));
}

export function countryCurrency(country: string): string | undefined {
  return currencies[country as Country];
}

/** Where this browser seems to be: its time zone decides, then its languages. */
export function suggestRegion(): Region {
  const timezone = ownTimeZone();
  const country = countryIn(timezone) ?? countryOfLanguage() ?? 'US';
  return { country, currency: countryCurrency(country) ?? 'USD', timezone };
}

function countryIn(timeZone: string): string | undefined {
  return Object.keys(currencies).find((country) => countryTimeZones(country).includes(timeZone));
}

function countryOfLanguage(): string | undefined {
  const regions = navigator.languages.map((language) => new Intl.Locale(language).region);
  return regions.find((region) => region !== undefined && countryCurrency(region) !== undefined);
}
