import states from './states.json' with { type: 'json' };

/** Where an order goes to, in codes where they are known. */
export interface Region {
  readonly country: string | null;
  readonly state: string | null;
}

/** Addresses are written by people: names and codes in any case are the same. */
export function readRegion(address: Region | undefined): Region {
  const country = readCountry(address?.country ?? null);
  return { country, state: readState(country, address?.state ?? null) };
}

const letters = Array.from({ length: 26 }, (_, index) => String.fromCharCode(65 + index));
let codes: ReadonlyMap<string, string> | undefined;

const otherNames = [['USA', 'US'] as const, ['UAE', 'AE'] as const];

/** Codes by code and English name. Some countries have several codes, such as UK and GB. */
function countryCodes(): ReadonlyMap<string, string> {
  const names = new Intl.DisplayNames(['en'], { type: 'region' });
  const all = letters.flatMap((first) => letters.map((second) => first + second));
  const entries = all.flatMap((code) => {
    const current = new Intl.Locale(`und-${code}`).region ?? code;
    return [[code, current] as const, [fold(names.of(code) ?? code), current] as const];
  });
  return new Map([...entries, ...otherNames]);
}

function readCountry(text: string | null): string | null {
  if (text === null || text.trim() === '') return null;
  codes ??= countryCodes();
  return codes.get(fold(text)) ?? text.trim();
}

type States = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The states that are known by name and by code, by country. */
export const knownStates = states as States;

/** The code of a state with a known name, else the text in capital letters. */
export function readState(country: string | null, text: string | null): string | null {
  if (text === null || text.trim() === '') return null;
  const known = Object.entries(knownStates[country ?? ''] ?? {});
  return known.find(([, name]) => fold(name) === fold(text))?.[0] ?? fold(text);
}

/** Without accents, punctuation and differences of case. */
function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toUpperCase();
}
