import pg from 'pg';

const { builtins } = pg.types;

type Parser = (text: string) => unknown;

// Dates are sent as UTC: in local time the offset of a date before 1940 is no whole number of minutes in many zones.
pg.defaults.parseInputDatesAsUTC = true;

/** `2026-11-15 09:30:00.12+00` to `2026-11-15T09:30:00.120Z`. Text to text: a Date object costs more than the row. */
export function timestampToIso(text: string): string {
  // Only years of four digits have the dash and the zone where we look for them.
  if (text.charAt(4) !== '-' || !text.endsWith('+00')) return unusualTimestampToIso(text);
  const fraction = text.charAt(19) === '.' ? text.slice(20, -3).slice(0, 3).padEnd(3, '0') : '000';
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction}Z`;
}

/** Years before Christ or past 9999, as ISO 8601 and Date.toISOString write them; `infinity` stays what it is. */
function unusualTimestampToIso(text: string): string {
  const parts = /^(\d+)(-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d+))?\+00( BC)?$/.exec(text);
  if (!parts) return text;
  const [, digits, day, time, fraction = '', beforeChrist] = parts;
  // The year 1 BC is the year 0.
  const year = beforeChrist ? 1 - Number(digits) : Number(digits);
  const sign = year < 0 ? '-' : '+';
  const written = year === 0 ? '0000' : `${sign}${String(Math.abs(year)).padStart(6, '0')}`;
  return `${written}${day}T${time}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
}

const asItIs: Parser = (text) => text;

const parsers: ReadonlyMap<number, Parser> = new Map<number, Parser>([
  [builtins.TIMESTAMPTZ, timestampToIso],
  [builtins.TIMESTAMP, asItIs],
  [builtins.DATE, asItIs],
  [builtins.NUMERIC, asItIs],
  // Ids and counts; none of ours leaves the range in which a number is exact.
  [builtins.INT8, Number],
  // Arrays of the same, which `pg` has no names for.
  [1185, arrayOf(timestampToIso)],
  [1115, arrayOf(asItIs)],
  [1182, arrayOf(asItIs)],
  [1231, arrayOf(asItIs)],
  [1016, arrayOf(Number)],
]);

type Nested = string | null | Nested[];

const parseTextArray = usualParser(1009) as (text: string) => Nested;

function arrayOf(parse: Parser): Parser {
  const parseEach = (entry: Nested): unknown => {
    if (entry === null) return null;
    return Array.isArray(entry) ? entry.map(parseEach) : parse(entry);
  };
  return (text) => parseEach(parseTextArray(text));
}

function usualParser(oid: number): Parser {
  return pg.types.getTypeParser(oid, 'text') as Parser;
}

export const valueTypes = {
  getTypeParser(oid: number, format?: 'text' | 'binary'): Parser {
    if (format === 'binary') return pg.types.getTypeParser(oid, 'binary') as unknown as Parser;
    return parsers.get(oid) ?? usualParser(oid);
  },
};
