import currencies from 'country-to-currency';

export interface Region {
  readonly country: string;
  readonly currency: string;
  readonly timezone: string;
}

type Country = keyof typeof currencies;
const names = new Intl.DisplayNames([navigator.language, 'en'], { type: 'region' });
const currencyNames = new Intl.DisplayNames([navigator.language, 'en'], { type: 'currency' });

export const countries = named(Object.keys(currencies), (code) => names.of(code) ?? code);
export const currencyOptions = named(
  Intl.supportedValuesOf('currency'),
  (code) => `${code} – ${currencyNames.of(code) ?? code}`,
);
export const timeZones = Intl.supportedValuesOf('timeZone').map((zone) => ({
  code: zone,
  name: zone.replaceAll('_', ' '),
}));

function named(codes: readonly string[], nameOf: (code: string) => string) {
  return codes.map((code) => ({ code, name: nameOf(code) })).sort((one, other) => one.name.localeCompare(other.name));
}

export function currencyOf(country: string): string | undefined {
  return currencies[country as Country];
}

/** Where this browser seems to be: its time zone decides, then its languages. */
export function suggestRegion(): Region {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const country = countryIn(timeZone) ?? countryOfLanguage() ?? 'US';
  return { country, currency: currencyOf(country) ?? 'USD', timezone: timeZone };
}

function countryIn(timeZone: string): string | undefined {
  return Object.keys(currencies).find((country) => timeZonesOf(country).includes(timeZone));
}

function timeZonesOf(country: string): readonly string[] {
  // Not in every browser, and not yet in the types.
  const locale = new Intl.Locale(`und-${country}`) as Intl.Locale & { getTimeZones?: () => string[] | undefined };
  return locale.getTimeZones?.() ?? [];
}

function countryOfLanguage(): string | undefined {
  const regions = navigator.languages.map((language) => new Intl.Locale(language).region);
  return regions.find((region) => region !== undefined && currencyOf(region) !== undefined);
}
