import pg from 'pg';

const { builtins } = pg.types;

type Parser = (text: string) => unknown;

// In many zones the offset of a date before 1940 is not a whole number of minutes, so dates are sent as UTC.
pg.defaults.parseInputDatesAsUTC = true;

/** `2026-11-15 09:30:00.12+00` to `2026-11-15T09:30:00.120Z`. Text to text, because a Date object costs more than the rest of the row. */
export function timestampToIso(text: string): string {
  if (text.charAt(4) !== '-' || !text.endsWith('+00')) return extendedTimestampToIso(text);
  const fraction = text.charAt(19) === '.' ? text.slice(20, -3).slice(0, 3).padEnd(3, '0') : '000';
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction}Z`;
}

/** Years before Christ or after 9999, in the format of Date.toISOString; `infinity` is unchanged. */
function extendedTimestampToIso(text: string): string {
  const parts = /^(\d+)(-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d+))?\+00( BC)?$/.exec(text);
  if (!parts) return text;
  const [, digits, day, time, fraction = '', beforeChrist] = parts;
  // 1 BC is the year 0.
  const year = beforeChrist ? 1 - Number(digits) : Number(digits);
  const sign = year < 0 ? '-' : '+';
  const isoYear = year === 0 ? '0000' : `${sign}${String(Math.abs(year)).padStart(6, '0')}`;
  return `${isoYear}${day}T${time}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
}

const identity: Parser = (text) => text;

const parsers: ReadonlyMap<number, Parser> = new Map<number, Parser>([
  [builtins.TIMESTAMPTZ, timestampToIso],
  [builtins.TIMESTAMP, identity],
  [builtins.DATE, identity],
  [builtins.NUMERIC, identity],
  // Ids and counts, all below 2 ** 53.
  [builtins.INT8, Number],
  // Arrays of the same types; `pg` has no constants for their oids.
  [1185, arrayParser(timestampToIso)],
  [1115, arrayParser(identity)],
  [1182, arrayParser(identity)],
  [1231, arrayParser(identity)],
  [1016, arrayParser(Number)],
]);

type Nested = string | null | Nested[];

const parseTextArray = defaultParser(1009) as (text: string) => Nested;

function arrayParser(parse: Parser): Parser {
  const parseEntry = (entry: Nested): unknown => {
    if (entry === null) return null;
    return Array.isArray(entry) ? entry.map(parseEntry) : parse(entry);
  };
  return (text) => parseEntry(parseTextArray(text));
}

function defaultParser(oid: number): Parser {
  return pg.types.getTypeParser(oid, 'text') as Parser;
}

export const valueTypes = {
  getTypeParser(oid: number, format?: 'text' | 'binary'): Parser {
    if (format === 'binary') return pg.types.getTypeParser(oid, 'binary') as unknown as Parser;
    return parsers.get(oid) ?? defaultParser(oid);
  },
};
