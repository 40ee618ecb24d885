/** Browsers list some zones under names that are no longer used. */
const renamed: Readonly<Record<string, string>> = {
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
};

function nameToday(zone: string): string {
  return renamed[zone] ?? zone;
}

export const timeZones: readonly string[] = [...new Set(Intl.supportedValuesOf('timeZone').map(nameToday))].sort();

/** That of this browser. */
export function ownTimeZone(): string {
  return nameToday(Intl.DateTimeFormat().resolvedOptions().timeZone);
}

/** Empty where the browser does not know. */
export function countryTimeZones(country: string): readonly string[] {
  // Not in every browser, and not yet in the types.
  const locale = new Intl.Locale(`und-${country}`) as Intl.Locale & { getTimeZones?: () => string[] | undefined };
  return (locale.getTimeZones?.() ?? []).map(nameToday);
}
